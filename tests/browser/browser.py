"""A headless Chromium, asked over the WebDriver protocol (https://www.w3.org/TR/webdriver2/)."""
import json
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver") or shutil.which("chromium-driver")
MISSING = "" if CHROMIUM and DRIVER else "no chromium or no chromedriver here; Debian has chromium-driver"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element, says the protocol
STARTED = re.compile(r"started successfully on port (\d+)")


class Browser:
    """One session; close() ends the browser and its driver. `home`: a folder for all that they write."""

    def __init__(self, home, limit_s=60):
        self.limit_s = limit_s
        environment = dict(os.environ, HOME=home, TMPDIR=home)
        self.driver = subprocess.Popen(
            [DRIVER, "--port=0"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=environment, encoding="utf-8")
        port = next((match[1] for match in map(STARTED.search, self.driver.stdout) if match), None)
        self.address = f"http://127.0.0.1:{port}"
        # Without a sandbox, as tests run as root in containers; the pages are our own.
        options = {"binary": CHROMIUM, "args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                                                "--disable-dev-shm-usage", "--hide-scrollbars"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = ""
        made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = "/session/" + made["sessionId"]

    def ask(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.address + (self.session if path != "/session" else "") + path,
                                         data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self.limit_s) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()[:2000]) from None

    def close(self):
        try:
            if self.session:
                self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()

    def tool(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height):
        self.tool("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)

    def open(self, path):
        self.ask("POST", "/url", {"url": "file://" + os.path.abspath(path)})

    def run(self, script, *arguments):
        """What `script`, the body of a function, returns; a promise is waited for."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def complaints(self):
        """What the console has said since it was last asked."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]
