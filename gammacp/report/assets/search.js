// Long tables: only the rows that hold what is searched for; totals stay.
for (const field of document.querySelectorAll("input[data-search]")) {
  const rows = Array.from(field.closest("div").querySelectorAll("tbody tr"));
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const status = field.parentElement.querySelector("output");
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    rows.forEach((row, i) => {
      const fits = wanted.every((word) => texts[i].includes(word));
      row.hidden = !fits && !row.classList.contains("total");
      if (fits) found++;
    });
    status.textContent = wanted.length ? `${found} of ${rows.length} rows` : "";
  });
}
