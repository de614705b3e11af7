// Marks the search box on "/" so that a visitor can type at once. The shop works without this file.
document.addEventListener("keydown", (event) => {
  const box = document.querySelector("input[name=q]");
  if (event.key === "/" && box && document.activeElement !== box) {
    event.preventDefault();
    box.focus();
  }
});
