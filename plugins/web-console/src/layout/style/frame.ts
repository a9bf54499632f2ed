export const FRAME = `
.top { background: var(--surface); border-bottom: 1px solid var(--line); }
.top .inner { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; min-height: 3.75rem; padding-block: .4rem; }
.brand { display: inline-flex; align-items: center; gap: .6rem; font: 600 1.2rem/1.2 var(--serif); color: var(--ink); text-decoration: none; }
.brand .mark { width: 2.1rem; height: 2.1rem; color: var(--sea); flex: none; }
.north { color: var(--north); }
.top nav { display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin-inline-end: auto; }
.top nav a { color: var(--quiet); text-decoration: none; padding: .3rem 0; }
.top nav a:hover { color: var(--ink); text-decoration: underline; }
.who { color: var(--quiet); max-width: 14rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.trail { padding-top: 1rem; font-size: .875rem; }
.trail ol { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem .5rem; margin: 0; padding: 0; }
.trail li { color: var(--quiet); }
.trail li:not(:first-child)::before { content: "›"; margin-inline-end: .5rem; color: var(--quiet); }
main > .inner { padding-block: 1.25rem 3rem; }
.bottom { border-top: 1px solid var(--line); color: var(--quiet); font-size: .875rem; }
.bottom .inner { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding-block: 1.25rem; }
.bottom a { color: inherit; }
.hero { position: relative; overflow: hidden; background: var(--surface); border-bottom: 1px solid var(--line); text-align: center; }
.hero .inner { position: relative; padding-block: clamp(2.5rem, 7vw, 5.5rem); }
.hero .rose { display: block; margin-inline: auto; width: clamp(5rem, 12vw, 8.5rem); height: auto; color: var(--sea); }
.hero h1 { margin: .4rem 0; }
.hero .lead { margin: 0 auto 1.75rem; }
.rhumbs { position: absolute; left: 50%; top: calc(clamp(2.5rem, 7vw, 5.5rem) + clamp(5rem, 12vw, 8.5rem) / 2); width: 240rem; max-width: none; height: 240rem; transform: translate(-50%, -50%); color: var(--sea); opacity: .13; }
.search { display: flex; gap: .5rem; max-width: 40rem; }
.hero .search { margin-inline: auto; }
.search ::placeholder { font-style: normal; }
.search input { flex: 1; padding: .7rem 1rem; border-radius: 12px; font-size: 1.0625rem; }
.logins { list-style: none; padding: 0; display: grid; gap: .75rem; justify-items: start; }
.search button { border-radius: 12px; }
.cards { list-style: none; padding: 0; display: grid; gap: var(--gap); grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); }
.cards h3 { font-size: 1.35rem; margin: 0 0 .4rem; }
.cards h3 a { color: inherit; text-decoration: none; }
.cards .card:hover h3 a { text-decoration: underline; text-decoration-color: var(--sea); }
.cards .code { z-index: 1; }
.cards p { margin: 0 0 .25rem; font-size: .875rem; }
.cards .code pre { margin: 0; }
.cards .counts { font-size: 1rem; margin-bottom: .6rem; }
.card:hover { border-color: var(--sea); }
.packages .card:hover { border-color: var(--line); }
@media (max-width: 30rem) { .search { gap: .4rem; } .search input { padding-inline: .6rem; font-size: 1rem; } .search button { padding-inline: .65rem; } .hero { text-align: start; } .hero .rose { margin-inline: 0; } .hero .lead { margin-inline: 0; } }
`;
