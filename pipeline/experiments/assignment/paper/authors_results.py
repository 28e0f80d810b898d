"""The authors' own results of Section VI-E, which its figures are drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Published(NamedTuple):
    """Means over one published stream."""

    mean_consumers: float
    cbs: float
    mean_rscore: float


_RESULTS = """
 0 NF   139.717 0.24747 30.1843
 0 NFD  136.000 0.21429  0.0000
 0 FF   119.729 0.06900 24.1036
 0 FFD  112.000 0.00000  0.0000
 0 BF   114.515 0.02246 25.2191
 0 BFD  112.000 0.00000  0.0000
 0 WF   124.561 0.11215 23.1334
 0 WFD  112.000 0.00000  0.0000
 0 MWF  112.000 0.00000  0.0431
 0 MBF  112.000 0.00000  0.0000
 0 MWFP 112.000 0.00000  0.3723
 0 MBFP 112.000 0.00000  0.0003
 5 NF   128.790 0.28332 31.4958
 5 NFD  124.242 0.23796 20.5428
 5 FF   108.525 0.08112 26.6210
 5 FFD  100.451 0.00050 24.0429
 5 BF   104.086 0.03689 29.6115
 5 BFD  100.403 0.00000 24.1568
 5 WF   113.932 0.13510 25.5336
 5 WFD  100.591 0.00193 24.1232
 5 MWF  112.210 0.11806  9.1952
 5 MBF  104.170 0.03774 16.0371
 5 MWFP 112.725 0.12328 16.9027
 5 MBFP 100.561 0.00161 23.0949
10 NF   126.138 0.28946 31.9843
10 NFD  121.379 0.24086 21.4908
10 FF   105.469 0.07797 28.3035
10 FFD   97.958 0.00101 25.4094
10 BF   101.615 0.03851 30.5207
10 BFD   97.864 0.00002 25.5269
10 WF   110.776 0.13224 26.6818
10 WFD   98.250 0.00407 25.2381
10 MWF  109.058 0.11471 11.7864
10 MBF  100.990 0.03209 18.8804
10 MWFP 109.998 0.12437 16.9608
10 MBFP  98.186 0.00339 24.2097
15 NF   129.421 0.27875 31.4771
15 NFD  123.902 0.22404 20.6001
15 FF   108.445 0.07112 28.3956
15 FFD  101.297 0.00040 25.5232
15 BF   104.844 0.03553 30.8525
15 BFD  101.261 0.00002 25.4745
15 WF   113.665 0.12282 26.8839
15 WFD  101.451 0.00196 25.3376
15 MWF  111.860 0.10489 12.8267
15 MBF  103.846 0.02569 19.8827
15 MWFP 112.443 0.11087 17.2040
15 MBFP 101.443 0.00188 23.9976
20 NF   132.697 0.26442 31.4897
20 NFD  126.890 0.20902 19.8965
20 FF   111.581 0.06286 29.3178
20 FFD  105.034 0.00026 25.7260
20 BF   108.493 0.03337 31.5089
20 BFD  105.008 0.00000 25.7991
20 WF   117.062 0.11521 27.5192
20 WFD  105.118 0.00109 25.4735
20 MWF  114.794 0.09355 13.8343
20 MBF  107.273 0.02178 20.6111
20 MWFP 114.796 0.09377 17.8176
20 MBFP 105.158 0.00145 23.7978
25 NF   131.808 0.26396 31.9015
25 NFD  125.735 0.20584 19.7262
25 FF   110.840 0.06238 30.3578
25 FFD  104.431 0.00045 26.2812
25 BF   107.729 0.03236 32.8450
25 BFD  104.389 0.00002 26.4393
25 WF   116.048 0.11254 28.4712
25 WFD  104.539 0.00155 26.2104
25 MWF  113.511 0.08812 14.9949
25 MBF  106.277 0.01830 21.4783
25 MWFP 113.130 0.08456 18.5520
25 MBFP 104.529 0.00140 24.0934
"""
"""δ, algorithm, mean consumers, CBS, mean Rscore: uniform start, one stream per δ.

Averages of ``Reassign Algorithm/uniform_start.csv`` in github.com/landaudiogo/thesis_data at
commit fb1dac2, the results that the paper's figures of Section VI-E are drawn from.
"""


def _results() -> dict[tuple[str, float], Published]:
    rows = (line.split() for line in _RESULTS.split("\n") if line)
    return {
        (name, float(delta)): Published(float(consumers), float(cbs), float(moved))
        for delta, name, consumers, cbs, moved in rows
    }


SECTION_VI_E: Mapping[tuple[str, float], Published] = _results()
"""The authors' results by algorithm and δ, for streams with a uniform start."""
