// Opens a link's session at once, moves the focus to where a page of results begins, shows
// in the menu where one is, brings a choice of memories back on the way back, and takes a double
// click for one.
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
const here = document.querySelector("nav [aria-current]");
if (here) {
  here.scrollIntoView({ block: "nearest", inline: "center" });
}
const tell = (news) => {
  document.getElementById("news").textContent = news;
};
document.addEventListener("htmx:responseError", () => {
  tell("That did not work: load the page again.");
});
document.addEventListener("htmx:sendError", () => {
  tell("gaia does not answer: try again in a moment.");
});
document.addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("form button")) {
    event.preventDefault();
    event.stopPropagation();
  }
}, true);
// What was chosen is in no address: it stays with the tab's own history.
const choice = document.getElementById("choice");
if (choice) {
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.target.id === "results" && event.detail.successful) {
      const { form_token, ...chosen } = { ...event.detail.requestConfig.parameters };
      history.replaceState(chosen, "");
    }
  });
  const [{ type }] = performance.getEntriesByType("navigation");
  if (history.state && type === "back_forward") {
    Object.entries(history.state).filter(([name]) => choice.elements[name]).forEach(
      ([name, value]) => { choice.elements[name].value = value; });
    htmx.ajax("POST", "/page/", { source: choice, target: "#results", values: history.state });
  }
}
