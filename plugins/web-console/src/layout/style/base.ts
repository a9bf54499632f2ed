export const BASE = `
:root {
  color-scheme: light dark;
  --paper: #f6f2e8; --surface: #fffdf8; --sunk: #efe9db; --ink: #17262d; --quiet: #50616a; --line: #d8cfbb;
  --sea: #0e5a6b; --on-sea: #ffffff; --sea-soft: #dcebec; --north: #a3391f; --north-soft: #f7e2da;
  --good: #2c6a3f; --good-soft: #e0efe2; --warn: #7c5200; --warn-soft: #f8ecce; --shadow: 0 1px 2px #17262d14, 0 6px 20px #17262d0f;
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", P052, "Book Antiqua", Georgia, serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --gap: clamp(1rem, 2.4vw, 1.75rem);
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0c171e; --surface: #12212a; --sunk: #0a1319; --ink: #e3ebed; --quiet: #9fb1b9; --line: #294250;
    --sea: #86d2de; --on-sea: #05222a; --sea-soft: #173743; --north: #f2977a; --north-soft: #3a221b;
    --good: #8fd3a2; --good-soft: #17321f; --warn: #ecc873; --warn-soft: #35290d; --shadow: 0 1px 2px #0006, 0 6px 20px #0004;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { font: 100%/1.55 var(--sans); background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
@media (min-width: 150rem) { html { font-size: 125%; } }
@media (min-width: 220rem) { html { font-size: 150%; } }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; overflow-wrap: anywhere; }
main { flex: 1; outline: none; }
.inner { width: 100%; max-width: 76rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2.5rem); }
h1, h2, h3, h4 { font-family: var(--serif); font-weight: 600; line-height: 1.2; margin: 0 0 .5em; text-wrap: balance; }
h1 { font-size: clamp(1.75rem, 1.4rem + 1.8vw, 2.75rem); letter-spacing: -.01em; }
h2 { font-size: clamp(1.25rem, 1.15rem + .5vw, 1.55rem); }
h3 { font-size: 1.1rem; }
h4 { font-size: 1rem; }
p, ul, ol, dl, pre, table { margin: 0 0 1rem; }
p:last-child, ul:last-child { margin-bottom: 0; }
a { color: var(--sea); text-underline-offset: .18em; text-decoration-thickness: .07em; }
a:hover { text-decoration-thickness: .14em; }
:focus-visible { outline: 3px solid var(--sea); outline-offset: 2px; border-radius: 4px; }
code, pre { font-family: var(--mono); font-size: .875em; }
hr { border: 0; border-top: 1px solid var(--line); }
.lead { font-size: 1.125rem; color: var(--quiet); max-width: 44rem; }
.quiet { color: var(--quiet); }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; inset-inline-start: 1rem; top: -4rem; background: var(--surface); padding: .5rem 1rem; border-radius: 0 0 8px 8px; z-index: 2; }
.skip:focus { top: 0; }
.badge, .tag { display: inline-block; font-size: .8125rem; line-height: 1.5; padding: 0 .55em; border-radius: 999px; white-space: nowrap; max-width: 100%; overflow: hidden; text-overflow: ellipsis; vertical-align: middle; }
.badge { border: 1px solid var(--line); color: var(--quiet); background: var(--surface); font-family: var(--sans); font-weight: 500; }
td .badge, th .badge { margin-block: .125rem; }
.badge.accent { color: var(--sea); background: var(--sea-soft); border-color: transparent; }
.badge.good { color: var(--good); background: var(--good-soft); border-color: transparent; }
.badge.warn { color: var(--warn); background: var(--warn-soft); border-color: transparent; }
.badge.bad { color: var(--north); background: var(--north-soft); border-color: transparent; }
.tag { color: var(--quiet); background: var(--sunk); text-decoration: none; }
.tag::before { content: "#"; }
a.tag:hover { color: var(--ink); }
.badges { display: flex; flex-wrap: wrap; gap: .35rem; margin: 0; }
.button, button { display: inline-block; font: inherit; font-weight: 600; line-height: 1.4; padding: .5rem 1rem; border-radius: 9px; border: 1px solid var(--sea); background: var(--sea); color: var(--on-sea); text-decoration: none; cursor: pointer; text-align: center; }
.button:hover, button:hover { filter: brightness(1.12); }
.button.quiet { background: transparent; color: var(--sea); }
input, select, textarea { font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--quiet); border-radius: 9px; padding: .5rem .8rem; min-width: 0; max-width: 100%; }
input[type="checkbox"] { width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--sea); vertical-align: -.2em; }
::placeholder { color: var(--quiet); opacity: 1; font-style: italic; }
.card { position: relative; background: var(--surface); border: 1px solid var(--line); border-radius: 14px; padding: clamp(1rem, 2vw, 1.5rem); box-shadow: var(--shadow); }
.stretched::after { content: ""; position: absolute; inset: 0; border-radius: inherit; }
.note { border-inline-start: 4px solid var(--sea); background: var(--sea-soft); padding: .6rem 1rem; border-radius: 0 9px 9px 0; }
div.note { margin-bottom: 1rem; }
.note.warn { border-color: var(--warn); background: var(--warn-soft); }
.nothing { border: 1px dashed var(--line); border-radius: 14px; padding: clamp(1.5rem, 5vw, 3rem); text-align: center; }
.nothing .lead { margin-inline: auto; }
.scroll { overflow-x: auto; border-radius: 9px; }
.scroll table { margin: 0; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: start; color: var(--quiet); font-size: .875rem; padding-bottom: .25rem; }
th, td { text-align: start; vertical-align: top; padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--line); overflow-wrap: break-word; }
td:empty::before { content: "—"; color: var(--quiet); }
thead th { border: 0; color: var(--quiet); font-size: .8125rem; font-weight: 600; }
tbody th { font-weight: 500; }
.code { position: relative; }
.code pre, pre.json, .prose pre { background: var(--sunk); border: 1px solid var(--line); border-radius: 9px; padding: .7rem .9rem; overflow-x: auto; margin: 0 0 1rem; white-space: pre; overflow-wrap: normal; }
.code pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.code.copies pre { display: grid; align-content: center; padding-inline-end: 5rem; min-height: 2.9rem; }
.line { display: block; padding-inline-start: 1.4em; text-indent: -1.4em; }
.line + .line { margin-top: .35em; }
.word, .pair { display: inline-block; max-width: 100%; text-indent: 0; }
.copy { position: absolute; inset-block-start: .6rem; inset-inline-end: .4rem; font-size: .8125rem; padding: .15rem .6rem; background: var(--surface); color: var(--sea); border-color: var(--line); z-index: 1; }
@media (max-width: 36rem) {
  .code.copies pre { padding-block-start: 2.5rem; padding-inline-end: .9rem; }
  .stacked thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stacked, .stacked caption:not(.sr), .stacked tbody, .stacked tr, .stacked th, .stacked td { display: block; width: 100%; }
  .stacked tr { padding: .5rem 0; }
  .stacked tr + tr { border-top: 1px solid var(--line); }
  .stacked th, .stacked td { border: 0; padding: .1rem 0; }
  .stacked td:empty { display: none; }
  .stacked td[data-label] { position: relative; padding-inline-start: 8rem; min-height: 1.6em; }
  .stacked td[data-label]::before { content: attr(data-label); position: absolute; inset-inline-start: 0; width: 7.5rem; color: var(--quiet); font-size: .875rem; }
}
@media (prefers-reduced-motion: no-preference) { a, button, .button { transition: filter .15s, background-color .15s; } }
@media (forced-colors: active) { .badge, .tag, .card, .tile { border: 1px solid; } }
@media print { .top nav, .search, .copy, aside { display: none; } }
`;
