export const LISTS = `
.tabs { display: flex; gap: .25rem 1.5rem; flex-wrap: wrap; border-bottom: 1px solid var(--line); margin: .5rem 0 1.25rem; }
.tabs a { padding: .6rem 0; color: var(--quiet); text-decoration: none; border-bottom: 3px solid transparent; margin-bottom: -1px; font-weight: 600; }
.tabs a:hover { color: var(--ink); }
.tabs a[aria-current] { color: var(--ink); border-color: var(--north); }
.count { color: var(--quiet); font-weight: 400; font-size: .875em; margin-inline-start: .45em; font-variant-numeric: tabular-nums; }
.list-layout { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--gap) clamp(1.5rem, 4vw, 3rem); margin-top: 1.25rem; }
.filters > summary, .facet summary { cursor: pointer; color: var(--sea); font-weight: 600; }
.facet { margin-top: 1rem; }
.facet-title { font: 600 .8125rem/1.4 var(--sans); color: var(--quiet); text-transform: uppercase; letter-spacing: .06em; margin-bottom: .25rem; }
.facet ul { list-style: none; margin: 0; padding: 0; }
.facet li a { display: flex; justify-content: space-between; gap: .5rem; padding: .2rem .6rem; margin-inline: -.6rem; border-radius: 7px; color: var(--ink); text-decoration: none; }
.facet li a:hover { background: var(--sunk); }
.facet li a.chosen { background: var(--sea); color: var(--on-sea); }
.facet li a.chosen .count { color: inherit; }
.facet details { margin-top: .25rem; font-size: .9375rem; }
.address { font-size: .875rem; margin-bottom: .25rem; }
.summary { color: var(--quiet); margin-bottom: .75rem; }
[aria-busy="true"] .entries { opacity: .55; }
.entries { list-style: none; margin: 0; padding: 0; }
.entry { position: relative; display: flex; gap: 1rem; padding: 1rem .75rem; margin-inline: -.75rem; content-visibility: auto; contain-intrinsic-block-size: auto 9rem; }
.entry::before { content: ""; position: absolute; inset: 0 .75rem auto; border-top: 1px solid var(--line); }
.entry:hover { background: var(--surface); }
.entry h2 { margin: 0; font-size: 1.15rem; }
.entry h2 a { color: inherit; text-decoration: none; }
.entry:hover h2 a { text-decoration: underline; text-decoration-color: var(--sea); }
.about { min-width: 0; flex: 1; }
.name { color: var(--quiet); font-size: .875rem; margin: 0 0 .3rem; }
.name .version { white-space: nowrap; }
.version::before { content: "v"; }
.description { margin: 0 0 .5rem; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.within { position: relative; z-index: 1; width: fit-content; color: var(--quiet); font-size: .875rem; margin: 0 0 .5rem; }
.tile { flex: none; display: grid; place-items: center; width: 3rem; height: 3rem; border-radius: 12px; font: 600 1.1rem/1 var(--serif); color: #fff; background: #35606b; }
.t0 { background: #1c5f70; } .t1 { background: #7a4a24; } .t2 { background: #3f5f33; } .t3 { background: #8a3a2b; }
.t4 { background: #44548c; } .t5 { background: #6d3f6b; } .t6 { background: #5b5a1f; } .t7 { background: #2b5f58; }
.pager { display: flex; justify-content: space-between; align-items: center; gap: 1rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
@media (max-width: 30rem) {
  .tabs { border: 0; gap: .4rem; }
  .tabs a { margin: 0; padding: .3rem .85rem; border: 1px solid var(--line); border-radius: 999px; background: var(--surface); font-size: .9375rem; }
  .tabs a[aria-current] { background: var(--sea); border-color: var(--sea); color: var(--on-sea); }
  .tabs a[aria-current] .count { color: inherit; }
}
@media (min-width: 56rem) {
  .list-layout { grid-template-columns: minmax(0, 14rem) minmax(0, 1fr); }
  .filters > summary { display: none; }
  .filters::details-content { content-visibility: visible; display: block; block-size: auto; }
}
`;
