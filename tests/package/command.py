"""A command that a package is tried by."""
import subprocess


def run(words, status=0, **options):
    """What the command said, both streams; any other status than the expected fails."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=300, check=False, **options)
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}, not {status}\n{done.stdout}")
    return done.stdout
