"""Values of options that are copied so that ``--help`` imports no numpy."""

from shrec_viewer.cli import options
from shrec_viewer.formats.core import read_options


def test_the_copies_equal_the_values_of_the_readers():
    assert options.MATRIX_ORDERS == read_options.MATRIX_ORDERS
    assert options.LIST_COLUMNS == read_options.LIST_COLUMNS
    assert options.MATRIX_CELLS == read_options.CELL_VALUES
