"use strict";
// The page is written with textContent alone: what models and sources say is never markup.

const at = (id) => document.getElementById(id);
const made = (name, text, kind) => {
  const one = document.createElement(name);
  if (text !== undefined) one.textContent = text;
  if (kind) one.className = kind;
  return one;
};
// The legend has the signs and words of the verdicts, worst first, as the service writes them.
const legend = [...document.querySelectorAll("#legend mark")].map((one) => [one.className, one]);
const WORST = legend.map(([verdict]) => verdict);
const NAMES = Object.fromEntries(legend.map(([verdict, one]) => [verdict, one.textContent]));
const GLYPHS = Object.fromEntries(legend.map(([verdict, one]) => [verdict, one.previousElementSibling.textContent]));
const EXAMPLE = {
  text: "The Harrow Bridge was opened in 1893. It is 412 metres long. Its towers are made of granite.",
  question: "What is the Harrow Bridge?",
  reference: "The Harrow Bridge opened on 4 May 1898 after six years of work. It has a length of 412 metres. Its towers are made of sandstone.",
};
let running = null; // the check under way: how to stop it
let corrected = "";

function addSource(kind, text = "") {
  const count = document.querySelectorAll(`#sources textarea[data-kind=${kind}]`).length + 1;
  const name = kind === "references" ? `Document ${count}` : `Other answer ${count}`;
  const box = made("div", undefined, "source");
  const label = made("label", name);
  const field = made("textarea");
  field.rows = 4;
  field.id = `${kind}-${Date.now()}-${count}`;
  field.dataset.kind = kind;
  field.value = text;
  label.htmlFor = field.id;
  const remove = made("button", "Remove");
  remove.type = "button";
  remove.setAttribute("aria-label", `Remove ${name}`);
  remove.addEventListener("click", () => box.remove());
  box.append(label, remove, field);
  at("sources").append(box);
  return field;
}

const NAMED = 5; // names of documents that are listed; a folder of many would fill the page

// Say what the service itself compares with: else a person cannot know what to add.
async function showAlways() {
  const answer = await fetch("v1/sources", { headers: headers() }).catch(() => null);
  if (!answer || !answer.ok) return; // without the token: asked again after the first check
  const { references, samples, knowledge, model } = await answer.json();
  const more = references.length - NAMED;
  const names = references.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
  const told = [];
  if (references.length) told.push(names);
  if (samples) told.push(samples === 1 ? "1 other answer" : `${samples} other answers`);
  if (knowledge.length) told.push(`the knowledge base ${knowledge.join(", ")}`);
  at("always").textContent = (told.length
    ? `Every text is compared with ${told.join("; ")}. What you add here comes on top.`
    : "This service has no documents of its own: add what to compare with.")
    + (model ? ` The model is ${model}.` : "");
  at("always").hidden = false;
}

function given() {
  const texts = (kind) => [...document.querySelectorAll(`#sources textarea[data-kind=${kind}]`)]
    .map((field) => field.value).filter((text) => text.trim());
  const body = { text: at("text").value, references: texts("references"), samples: texts("samples") };
  if (at("question").value.trim()) body.question = at("question").value;
  return body;
}

function headers(more = {}) {
  const token = at("token").value.trim();
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

function say(text, bad = false) {
  at("state").textContent = text;
  at("state").className = bad ? "bad" : "quiet";
}

function clear() {
  for (const id of ["marked", "facts", "corrected"]) at(id).replaceChildren();
  at("legend").hidden = at("correction").hidden = true;
}

async function run(address) {
  if (running || !at("given").reportValidity()) return;
  clear();
  const stop = new AbortController();
  running = stop;
  switchButtons();
  let total = 0, judged = 0, ended = false;
  const hear = (kind, data) => {
    if (kind === "report") { ended = true; show(data); }
    else if (kind === "problem") { ended = true; say(data.message, true); }
    else if (kind === "facts_extracted") { total = data.facts.length; judged = 0; }
    else if (kind === "fact_judged") judged += 1;
    if (!ended) say(total ? `Checking: ${Math.min(judged, total)} of ${total} facts judged…` : "Reading…");
  };
  try {
    say("Reading…");
    const answer = await fetch(`${address}?stream=true`, {
      method: "POST", body: JSON.stringify(given()), signal: stop.signal,
      headers: headers({ "Content-Type": "application/json" }),
    });
    if (!answer.ok) throw await refused(answer);
    if (at("always").hidden) showAlways();
    await listen(answer, hear);
    if (!ended) throw new Error("the stream broke off");
  } catch (error) {
    if (error.name === "AbortError") say("Stopped.");
    else say(error.final ? error.message : "The service does not answer. Is it still running?", true);
  } finally {
    running = null;
    switchButtons();
  }
}

async function refused(answer) {
  let message = `The service answered with status ${answer.status}.`;
  try { message = (await answer.json()).error.message; } catch { /* not JSON: the status says it */ }
  if (answer.status === 401) {
    at("access").hidden = false;
    at("access").open = true;
    at("token").focus();
    message = "This service asks for its access token: enter it on the left.";
  }
  const error = new Error(message);
  error.final = true;
  return error;
}

// Read server-sent events with fetch: EventSource cannot post a text, nor send the token.
async function listen(answer, hear) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").filter((line) => !line.startsWith(":"))
        .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
      if (!fields.event) continue;
      hear(fields.event, JSON.parse(fields.data));
    }
  }
}

function switchButtons() {
  for (const id of ["check", "correct", "example"]) at(id).disabled = running !== null;
  at("stop").hidden = running === null;
}

// Offsets count code points; a string of JavaScript counts UTF-16 units.
const points = (text) => Array.from(text);

function show(report) {
  const counts = {};
  for (const fact of report.facts) counts[fact.verdict] = (counts[fact.verdict] || 0) + 1;
  const told = WORST.filter((one) => counts[one]).map((one) => `${counts[one]} ${NAMES[one]}`);
  const facts = `${report.facts.length} ${report.facts.length === 1 ? "fact" : "facts"}`;
  let words = report.facts.length ? `${facts}: ${told.join(", ")}.` : "No fact was found to check.";
  for (const problem of report.problems) words += ` ${problem.what}: ${problem.why}.`;
  say(words, false);
  mark(report);
  const order = report.facts.map((fact, place) => [WORST.indexOf(fact.verdict), place, fact]);
  order.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  at("facts").append(...order.map(([, , fact]) => factItem(fact, report)));
  at("legend").hidden = !report.facts.some((fact) => fact.verdict !== "supported");
  if (report.correction) correction(report);
}

function mark(report) {
  const letters = points(report.text);
  const kinds = new Array(letters.length).fill(null);
  for (const verdict of ["not_checked", "doubtful", "contradicted"]) {
    for (const fact of report.facts) {
      if (fact.verdict !== verdict) continue;
      for (const [start, end] of fact.spans) kinds.fill(verdict, start, end);
    }
  }
  for (let from = 0; from < letters.length;) {
    let to = from;
    while (to < letters.length && kinds[to] === kinds[from]) to += 1;
    const piece = letters.slice(from, to).join("");
    at("marked").append(kinds[from] ? made("mark", piece, kinds[from]) : piece);
    from = to;
  }
}

function factItem(fact, report) {
  const item = made("li");
  const letters = points(report.text);
  const words = fact.spans.map(([start, end]) => letters.slice(start, end).join("")).join(" … ");
  item.append(made("span", GLYPHS[fact.verdict], "glyph"), " ", made("strong", words || fact.triple.filter(Boolean).join(" ")));
  const verdict = made("p", NAMES[fact.verdict] + (fact.reason ? `: ${fact.reason}` : ""));
  item.append(verdict);
  const telling = fact.evidence.filter((one) => one.quote);
  telling.sort((a, b) => (a.stance === "contradicts" ? 0 : 1) - (b.stance === "contradicts" ? 0 : 1));
  for (const one of telling.slice(0, 3)) {
    const source = report.sources.find((any) => any.id === one.source);
    const quote = made("blockquote", one.quote);
    const stance = one.stance === "supports" ? "supports it" : one.stance === "contradicts" ? "says otherwise" : "nearest sentence";
    quote.append(made("br"), made("cite", `${source ? source.title || source.id : one.source}: ${stance}`));
    item.append(quote);
  }
  if (telling.length > 3) item.append(made("p", `and ${telling.length - 3} more sources`, "quiet"));
  return item;
}

function correction(report) {
  const letters = points(report.text);
  const edits = report.correction.edits.filter((edit) => edit.before !== edit.after);
  corrected = report.correction.text;
  at("correction").hidden = false;
  at("copy").hidden = !edits.length;
  if (!edits.length) {
    at("corrected").textContent = "Nothing was changed: the sources give no other value for what is marked.";
    return;
  }
  let from = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    at("corrected").append(letters.slice(from, edit.start).join(""));
    if (edit.before) at("corrected").append(made("del", edit.before));
    if (edit.after) at("corrected").append(made("ins", edit.after));
    from = edit.end;
  }
  at("corrected").append(letters.slice(from).join(""));
}

at("given").addEventListener("submit", (event) => { event.preventDefault(); run("v1/check"); });
at("correct").addEventListener("click", () => run("v1/correct"));
at("add-reference").addEventListener("click", () => addSource("references").focus());
at("add-sample").addEventListener("click", () => addSource("samples").focus());
at("example").addEventListener("click", () => {
  at("text").value = EXAMPLE.text;
  at("question").value = EXAMPLE.question;
  at("sources").replaceChildren();
  addSource("references", EXAMPLE.reference);
});
at("stop").addEventListener("click", () => running?.abort());  // the service stops a check whose client is gone
at("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(corrected);
  at("copy").textContent = "Copied";
});
at("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) at("given").requestSubmit();
});
addSource("references");
showAlways();
