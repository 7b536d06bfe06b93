"""Draws plain-zero.woff2: the zero of Atkinson Hyperlegible Next without its slash.

Needs fonttools and brotli. Arguments: the font that npm installed, and where the result is written. The font has no
feature that turns the slash off. Its license permits changes and reserves no name.
"""

import sys
from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables._g_l_y_f import GlyphCoordinates
from fontTools.varLib.iup import iup_delta

source, target = sys.argv[1:]
font = TTFont(source)
glyph = font["glyf"]["zero"]
old, ends = list(glyph.coordinates), list(glyph.endPtsOfContours)
flags = list(glyph.flags)

# The outline stays. Its first point is in the middle below; the one at CENTRE_Y is half way up.
outline = range(ends[0] + 1)
middle_x = 0
middle_y = next(at for at in outline if old[at][1] * 2 == min(p[1] for p in old) + max(p[1] for p in old))
# The quarter of the inside below at left: from the middle of the bottom to half way up.
first = ends[0] + 1
last = next(at for at in range(first, ends[1] + 1) if old[at][1] == old[middle_y][1])
quarter = [first] + list(range(ends[1], last - 1, -1))


def inside(values, flip):
    """The four quarters, in the order of drawing. Flips a value about the middle."""
    half = [values[at] for at in quarter] + [flip(values[at], "y") for at in reversed(quarter[:-1])]
    return half, [flip(value, "x") for value in reversed(half[1:-1])]


def whole(values):
    cx, cy = values[middle_x][0], values[middle_y][1]
    flip = lambda p, axis: (2 * cx - p[0], p[1]) if axis == "x" else (p[0], 2 * cy - p[1])
    left, right = inside(values, flip)
    return [values[at] for at in outline] + (left + right)[::-1]


def whole_flags():
    left, right = inside(flags, lambda flag, _: flag)
    return [flags[at] for at in outline] + (left + right)[::-1]


for variation in font["gvar"].variations["zero"]:
    points, phantoms = variation.coordinates[:-4], variation.coordinates[-4:]
    full = iup_delta(variation.coordinates, old + [(0, 0)] * 4, ends)[: len(points)]
    variation.coordinates = whole(full) + [delta or (0, 0) for delta in phantoms]

points = whole(old)
glyph.coordinates = GlyphCoordinates(points)
glyph.flags = type(glyph.flags)(whole_flags())
glyph.endPtsOfContours = [ends[0], len(points) - 1]
glyph.numberOfContours = 2
glyph.recalcBounds(font["glyf"])

options = subset.Options()
options.layout_features = ["tnum"]
options.flavor = "woff2"
options.hinting = False
subsetter = subset.Subsetter(options)
subsetter.populate(unicodes=[0x30])
subsetter.subset(font)
subset.save_font(font, target, options)
