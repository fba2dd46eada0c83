// The code of the last page is copied by a button; a page that is not secure has no clipboard.
document.addEventListener("click", async ({ target }) => {
  const copied = target.dataset?.copied;
  if (!copied) return;
  const code = document.querySelector(".code");
  await navigator.clipboard?.writeText(code.textContent).catch(() => {});
  getSelection().selectAllChildren(code);
  if (!navigator.clipboard) document.execCommand("copy");
  target.textContent = copied;
});
