export const ENTRIES = `
.entry-head { display: flex; gap: clamp(.9rem, 2vw, 1.5rem); margin-bottom: 2rem; }
.entry-head .tile { width: clamp(3rem, 7vw, 4.5rem); height: clamp(3rem, 7vw, 4.5rem); font-size: clamp(1.1rem, 2.5vw, 1.7rem); border-radius: 16px; }
.about [dir] { text-align: left; }
.entry-head h1 { margin-bottom: .2rem; }
.entry-head .name { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .6rem; font-size: .9375rem; margin-bottom: .8rem; }
.entry-head .lead { margin-bottom: .8rem; color: var(--ink); }
.entry-layout { display: grid; gap: 2.5rem clamp(1.5rem, 4vw, 3.5rem); grid-template-columns: minmax(0, 1fr); }
.aside, .main { display: grid; gap: 2rem; align-content: start; grid-template-columns: minmax(0, 1fr); }
.main { gap: 2.75rem; }
.aside section { background: var(--surface); border: 1px solid var(--line); border-radius: 14px; padding: clamp(1rem, 2vw, 1.5rem); box-shadow: var(--shadow); }
.aside h3 { font: 600 .8125rem/1.4 var(--sans); color: var(--quiet); text-transform: uppercase; letter-spacing: .06em; margin: 1rem 0 .5rem; }
.aside h3:first-of-type { margin-top: 0; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; }
.buttons .button { flex: 1 1 auto; padding-inline: .75rem; font-size: .9375rem; }
summary { cursor: pointer; }
details > summary { color: var(--sea); font-weight: 500; margin-bottom: .5rem; }
.facts { margin: 0; }
.facts > div { display: flex; flex-wrap: wrap; gap: 0 .75rem; padding: .35rem 0; }
.facts > div + div { border-top: 1px solid var(--line); }
.facts dt { color: var(--quiet); flex: 0 0 7rem; }
.facts dd { margin: 0; flex: 1 1 9rem; min-width: 0; }
.tools { list-style: none; padding: 0; margin: 0; display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); }
.tools > li { border: 1px solid var(--line); border-radius: 10px; padding: .65rem .9rem; background: var(--surface); }
.tools p { margin: 0; }
.tools code { font-weight: 600; }
.tools .whole { white-space: pre-line; }
.tools details { margin-top: .3rem; }
.hidden-mark { font: 600 .8em/1.4 var(--mono); color: var(--north); background: var(--north-soft); border-radius: 4px; padding: 0 .25em; margin-inline: .1em; unicode-bidi: isolate; direction: ltr; }
.note ul { margin: .3rem 0 0; padding-inline-start: 1.2rem; overflow-wrap: anywhere; }
.takes { font-size: .875rem; color: var(--quiet); }
.takes code { font-weight: 400; }
.packages { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
.packages h3 { font-family: var(--sans); }
.packages .facts { margin-bottom: 1rem; }
.permissions { padding-inline-start: 1.2rem; }
.permissions li { margin-bottom: .3rem; }
.permissions .wide { color: var(--north); font-weight: 600; }
.permissions .wide::marker { content: "⚠ "; }
.changes { border-inline-start: 3px solid var(--line); padding-inline-start: 1.1rem; margin-top: 1.5rem; }
.changes h4 { margin: .9rem 0 .2rem; font-family: var(--sans); font-size: .875rem; color: var(--quiet); }
.changes ul { list-style: none; padding: 0; margin: 0; }
.changes li { padding-inline-start: 1.2em; text-indent: -1.2em; }
.changes li::before { display: inline-block; width: 1.2em; text-indent: 0; font-family: var(--mono); }
.changes li.ins::before { content: "+"; color: var(--good); } .changes li.del::before { content: "−"; color: var(--north); }
.changes .differences > li { padding: .4rem 0; text-indent: 0; overflow-wrap: anywhere; }
.changes .differences > li::before, .changes .differences li::before { content: none; }
.changes .differences p { margin: 0; }
.changes .differences ul { margin-inline-start: 1.2rem; }
.changes .differences .field { text-indent: 0; padding-inline-start: 0; white-space: pre-line; }
.changes ins { text-decoration: none; background: var(--good-soft); color: var(--good); } .changes del { background: var(--north-soft); color: var(--north); }
.prose { max-width: 46rem; }
.prose h3 { font-size: 1.2rem; margin-top: 1.5rem; } .prose h4 { margin-top: 1.2rem; }
.prose table { width: auto; display: block; overflow-x: auto; }
.prose blockquote { margin: 0 0 1rem; padding-inline-start: 1rem; border-inline-start: 3px solid var(--line); color: var(--quiet); }
.prose :not(pre) > code { background: var(--sunk); border-radius: 5px; padding: .1em .35em; }
pre.json { max-height: 36rem; overflow: auto; }
@media (min-width: 64rem) {
  .entry-layout { grid-template-columns: minmax(0, 1fr) minmax(0, 25rem); }
  .aside { grid-column: 2; grid-row: 1; }
  .main { grid-column: 1; grid-row: 1; }
}
@media (max-width: 30rem) { .entry-head { flex-direction: column; } }
`;
