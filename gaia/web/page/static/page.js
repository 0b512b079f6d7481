// Opens a link's session at once, and moves the focus to where a page of results begins.
"use strict";
const enter = document.getElementById("enter");
if (enter) {
  enter.submit();
}
document.addEventListener("htmx:afterSettle", (event) => {
  const from = event.detail.requestConfig && event.detail.requestConfig.elt;
  const target = from && from.dataset.focus && document.getElementById(from.dataset.focus);
  if (target) {
    target.focus();
  }
});
document.addEventListener("htmx:responseError", () => {
  document.getElementById("news").textContent = "That did not work: load the page again.";
});
