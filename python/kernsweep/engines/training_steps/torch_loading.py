"""An input pipeline: NumPy crops, mirrors, smooths and scales images for training steps."""
from __future__ import annotations

import importlib
from typing import Any

_MARGIN = 8  # pixels by which a stored image exceeds its crop


class Images:
    """`count` stored images of u8, [3, size + 8, size + 8]; each result depends only on the image's number.

    `work`: how often each is smoothed, as a substitute for decoding.
    """

    def __init__(self, count: int, size: int, work: int, seed: int) -> None:
        numpy = importlib.import_module("numpy")
        random = numpy.random.Generator(numpy.random.PCG64([seed, 2]))
        side = size + _MARGIN
        self.size, self.work, self.labels = size, work, None
        self.stored = random.integers(0, 256, (count, 3, side, side), numpy.uint8)

    def loaded(self, index: int) -> Any:
        """[3, size, size] in f32, around 0."""
        numpy = importlib.import_module("numpy")
        top, left = index * 7 % (_MARGIN + 1), index * 5 % (_MARGIN + 1)
        x = self.stored[index, :, top:top + self.size, left:left + self.size].astype(numpy.float32)
        x = x[:, :, ::-1] if index % 2 else x
        for _ in range(self.work):
            x = (numpy.roll(x, 1, 1) + numpy.roll(x, -1, 1) + numpy.roll(x, 1, 2) + numpy.roll(x, -1, 2)
                 + 4 * x) / numpy.float32(8)
        return (x - numpy.float32(127.5)) / numpy.float32(64)

    def __len__(self) -> int:
        return len(self.stored)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self.loaded(index), 0 if self.labels is None else self.labels[index]


def loader_of(torch: Any, images: Images, batch: int, loaders: int, prefetch: int | None) -> Any:
    """Batches in order; by `loaders` processes, each `prefetch` batches ahead. 0: on request."""
    ahead = 2 if prefetch is None else prefetch
    more = {} if loaders == 0 else {"persistent_workers": True, "prefetch_factor": ahead}
    return importlib.import_module("torch.utils.data").DataLoader(
        images, batch_size=batch, num_workers=loaders, **more)
