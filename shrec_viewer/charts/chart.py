"""The type of all charts."""

from shrec_viewer.charts.bars import Bars, Differences
from shrec_viewer.charts.intervals import Intervals
from shrec_viewer.charts.matrix import Matrix
from shrec_viewer.charts.plot import Plot
from shrec_viewer.charts.rank_rows import RankRows
from shrec_viewer.charts.scatter import Scatter
from shrec_viewer.charts.slopes import Slopes
from shrec_viewer.charts.strips import Sheet, Strips
from shrec_viewer.charts.surface import Surface

#: All charts.
Chart = Plot | Matrix | Intervals | Bars | Differences | Slopes | Surface | Scatter | Strips | Sheet | RankRows
