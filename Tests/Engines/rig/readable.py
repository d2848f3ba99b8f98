"""Whether a person can read and use a notice as an engine draws it: what a script finds in the page, and what it must be."""

import unittest
from typing import Any

# A window of a desktop, and the narrowest that a page must fit into (WCAG 2.1, 1.4.10).
WIDTHS = (640, 320)
# The least contrast of text (WCAG 2.1, 1.4.3), and of the sign of the focus (1.4.11).
TEXT, SIGN = 4.5, 3.0

LOOK = """(() => {
  const numbers = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = node => {
    for (; node; node = node.parentElement) {
      const color = numbers(getComputedStyle(node).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
  };
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  window.contrastOf = (color, node) => contrast(numbers(color), behind(node));
  const said = node => [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim());
  const texts = [...document.body.querySelectorAll("*")].filter(node => said(node) && node.getClientRects().length);
  return {
    wide: document.documentElement.scrollWidth - innerWidth,
    cut: texts.filter(node => node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== "inline")
      .map(node => node.textContent),
    pale: texts.map(node => [contrast(numbers(getComputedStyle(node).color), behind(node)), node.textContent]),
    direction: getComputedStyle(document.body).direction,
    stops: [...document.querySelectorAll("a[href], button, input, textarea")].map(node => node.id || node.textContent),
  };
})()"""
FOCUS = """(() => {
  const node = document.activeElement, style = getComputedStyle(node);
  const drawn = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  return [node.id || node.textContent, drawn ? contrastOf(style.outlineColor, node.parentElement) : 0];
})()"""


def judge(test: unittest.TestCase, found: dict[str, Any], language: str) -> None:
    """Demands of what `LOOK` found that nothing is cut, and that all of it can be read."""
    test.assertLessEqual(found["wide"], 0, "it is wider than the window")
    test.assertEqual(found["cut"], [])
    test.assertEqual([one for one in found["pale"] if one[0] < TEXT], [])
    test.assertEqual(found["direction"], "rtl" if language == "ar" else "ltr")


def judge_focus(test: unittest.TestCase, focused: list[Any], stop: str) -> None:
    """Demands of what `FOCUS` found that the focus is there, and can be seen."""
    test.assertEqual(focused[0], stop)
    test.assertGreaterEqual(focused[1], SIGN, f"the focus on `{stop}` can be seen")
