"use strict";
// Hides what came after the step that the slider stands at.
(() => {
  for (const trie of document.querySelectorAll(".trie")) {
    const slider = trie.querySelector("input");
    const told = trie.querySelector("output");
    slider.addEventListener("input", () => {
      const last = Number(slider.value);
      let shown = 0;
      for (const item of trie.querySelectorAll("li")) {
        item.hidden = Number(item.dataset.step) > last;
        shown += !item.hidden && item.classList.contains("program");
      }
      told.textContent = `${last < 0 ? "the seeds" : last}: ${shown} programs`;
    });
  }
})();
