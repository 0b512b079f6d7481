"""A real browser without a window, and what somebody who cannot see or point needs of a page."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, Page, async_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no Chromium here: apt-get install chromium"
)


@asynccontextmanager
async def running_browser() -> AsyncIterator[Browser]:
    """Chromium, for as long as the block lasts."""
    # Its own sandbox does not work for root, whom containers run as.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=arguments)
        try:
            yield browser
        finally:
            await browser.close()


async def barriers(page: Page) -> Sequence[str]:
    """What keeps people out who listen to a page, use the keyboard, or see little contrast."""
    found: Any = await page.evaluate(LOOK)
    return [str(each) for each in found]


LOOK = r"""
() => {
  const found = [];
  const all = (what) => [...document.querySelectorAll(what)];
  const tell = (what, element) => found.push(`${what}: ${element.outerHTML.slice(0, 120)}`);
  const named = (element) => {
    const by = (element.getAttribute("aria-labelledby") || "").split(" ").filter(Boolean);
    const label = element.id && document.querySelector(`label[for="${CSS.escape(element.id)}"]`);
    return [element.getAttribute("aria-label"), label && label.textContent, element.textContent,
      element.getAttribute("title"), ...by.map((id) => document.getElementById(id)?.textContent)]
      .some((name) => name && name.trim());
  };
  const labelled = (element) => {
    const label = document.querySelector(`label[for="${CSS.escape(element.id || "-")}"]`);
    return label || element.getAttribute("aria-label");
  };
  if (!document.documentElement.lang) found.push("the page has no language");
  if (all("h1").length !== 1) found.push(`${all("h1").length} h1`);
  if (all("main").length !== 1) found.push(`${all("main").length} main`);
  if (!document.title) found.push("no title");
  all("input:not([type=hidden]), select, textarea").filter((e) => !labelled(e))
    .forEach((e) => tell("no label", e));
  all("a[href], button, [role=img], [role=region]").filter((e) => !named(e))
    .forEach((e) => tell("no name", e));
  all("nav, section").filter((e) => all("nav").length > 1 && e.tagName === "NAV" && !named(e))
    .forEach((e) => tell("no name", e));
  all("table th").filter((e) => !e.scope).forEach((e) => tell("no scope", e));
  const ids = all("[id]").map((e) => e.id);
  ids.filter((id, place) => ids.indexOf(id) !== place).forEach((id) => found.push(`twice: ${id}`));
  let level = 1;
  for (const heading of all("h1, h2, h3, h4")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) tell("a level is left out", heading);
    level = next;
  }
  const scrolls = (e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX)
    && e.scrollWidth > e.clientWidth;
  all("*").filter((e) => scrolls(e) && e.tabIndex < 0 && !e.querySelector("a, button"))
    .forEach((e) => tell("scrolls and has no focus", e));
  const rgb = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const light = (colour) => {
    const [r, g, b] = rgb(colour).map((c) => {
      const s = c / 255;
      return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      const parts = rgb(colour);
      if (parts.length === 3 || parts[3] === 1) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || seen.has(element)) continue;
    seen.add(element);
    if (element.closest("svg, script, option") || !element.getClientRects().length) continue;
    const [one, other] = [light(getComputedStyle(element).color), light(ground(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) tell(`contrast ${contrast.toFixed(2)}`, element);
  }
  return found;
}
"""
