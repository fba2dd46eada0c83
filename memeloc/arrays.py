"""Types of numpy's arrays. In: nothing. Out: `Floats`, `Ints`, `Bools`, of any shape."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
