export const FORMS = `
.manage form { margin: 0; }
.manage h2 { margin-top: 2rem; }
.manage fieldset { max-width: 50rem; border: 1px solid var(--line); border-radius: 14px; padding: .5rem 1.25rem 1.25rem; margin: 0 0 1.25rem; min-width: 0; background: var(--surface); }
.manage legend { font: 600 1.1rem/1.2 var(--serif); padding-inline: .4rem; }
.manage .facts dt { flex-basis: 12rem; }
.manage td ul, .manage td ol, .facts ul, .facts ol { margin: 0; padding: 0; list-style: none; }
.facts ol { list-style: decimal; padding-inline-start: 1.2em; }
.manage .scroll { background: var(--surface); border: 1px solid var(--line); border-radius: 14px; padding: .25rem 1rem; margin-bottom: 1.25rem; overflow-wrap: normal; }
.manage thead th { white-space: nowrap; }
.manage tbody th { min-width: 9rem; }
.manage td code { overflow-wrap: anywhere; }
.manage tbody tr:first-child > * { border-top-color: var(--line); }
.title-row { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .5rem 1rem; margin-bottom: 1rem; }
.title-row h1 { margin: 0; }
.field { margin-bottom: 1.1rem; max-width: 46rem; }
.field .label { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .6rem; }
.field .label label { font-weight: 600; }
.field .label .quiet { font-weight: 400; }
.setting { color: var(--quiet); font-size: .8125rem; font-weight: 400; }
.manage fieldset fieldset { background: transparent; border-radius: 10px; padding: .25rem 1rem .25rem; }
.manage fieldset fieldset legend { font-size: 1rem; }
.field > input[type="text"], .field > select, .field > textarea { width: 100%; }
.hint { color: var(--quiet); font-size: .875rem; margin: 0 0 .35rem; max-width: 46rem; }
textarea { resize: vertical; }
textarea.mono { font: .875rem/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
.field-check { display: grid; grid-template-columns: auto minmax(0, 1fr); align-items: center; gap: .25rem .5rem; }
.field-check > .hint, .field-check > .problem { grid-column: 1 / -1; }
.field-check > label { font-weight: 400; display: inline; }
.field-wrong > input, .field-wrong > select, .field-wrong > textarea { border-color: var(--north); box-shadow: inset 4px 0 0 var(--north); }
fieldset.field-wrong { border-color: var(--north); }
.problem { color: var(--north); font-size: .9375rem; list-style: none; margin: .35rem 0 0; padding: 0; }
.problems { border-inline-start: 4px solid var(--north); background: var(--north-soft); padding: .6rem 1rem; border-radius: 0 9px 9px 0; margin-bottom: 1.25rem; }
.problems ul { padding-inline-start: 1.2em; } .problems p { margin: 0 0 .35rem; }
.fine { color: var(--good); }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem; margin: 0 0 1.5rem; }
.actions form { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem; }
.actions .field-check { margin: 0; }
.button.danger { background: transparent; color: var(--north); border-color: var(--north); }
.claims { display: flex; flex-wrap: wrap; gap: .25rem .4rem; }
.claims code { display: inline-block; background: var(--sunk); border-radius: 6px; padding: .05em .45em; }
.manage .facts { margin-bottom: 1.5rem; }
.facts pre.json { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 20rem; overflow-y: auto; margin: 0; }
.claim-row { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1.4fr) auto; gap: .5rem; align-items: center; margin-bottom: .5rem; max-width: 46rem; }
.claim-head { color: var(--quiet); font-size: .8125rem; font-weight: 600; margin-bottom: .25rem; }
.claim-head .claim-any { visibility: hidden; height: 0; }
.claims-editor .problem { margin-bottom: .6rem; }
.claim-any { white-space: nowrap; font-size: .875rem; }
.choices { list-style: none; padding: 0; display: grid; gap: var(--gap); grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); }
.choices h2 { margin: 0 0 .3rem; font-size: 1.2rem; }
.choices p { margin: 0; color: var(--quiet); font-size: .9375rem; }
.manage .narrow { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin-bottom: 1.25rem; }
.words { color: var(--quiet); font-size: .875rem; margin: 0 0 1rem; max-width: 46rem; }
.words > div { margin-bottom: .25rem; }
.words dt { display: inline; font-weight: 600; color: var(--ink); }
.words dt::after { content: ": "; }
.words dd { display: inline; margin: 0; }
.second { color: var(--quiet); font-size: .875rem; }
.field > select { min-height: 2.7rem; }
.narrow .field { flex: 1 1 10rem; margin: 0; }
.narrow .actions { margin: 0; }
.narrow .button { min-height: 2.7rem; }
.findings { max-width: 46rem; margin-bottom: 1.1rem; }
.finding-list { list-style: none; margin: 0; padding: 0; display: grid; gap: .4rem; }
.finding { border-inline-start: 4px solid var(--north); padding: .3rem .8rem; background: var(--north-soft); border-radius: 0 7px 7px 0; }
.finding-warning { border-color: var(--warn); background: var(--warn-soft); }
.finding-info { border-color: var(--sea); background: var(--sea-soft); }
.finding-severity { font-size: .8125rem; font-weight: 600; }
@media (max-width: 34rem) { .manage legend .setting { display: none; } .claim-head .claim-any { display: none; } .claim-row { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } .claim-any { grid-column: 1 / -1; } }
`;
