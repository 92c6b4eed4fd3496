/** The looks of a page of its own. */
export const pageCss = `
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { padding: 1.5rem; max-width: 96rem; margin: 0 auto; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; } h2 { font-size: 1.2rem; overflow-wrap: anywhere; }
@media (max-width: 40rem) { main { padding: 1rem; } }
`;

/** The looks of a plan; colours hold at least 4.5 to 1 against their ground, in light and in dark. */
export const planCss = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #4a5460; --paper: #ffffff; --card: #f3f5f7; --line: #c4ccd4; --bad: #a40e26; --warn: #7a4a00; --good: #116329; --gate: #2f4ea1; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf0; --soft: #b3bdc7; --paper: #14181d; --card: #20262d; --line: #4a5460; --bad: #ff8f9b; --warn: #f0b429; --good: #6fd587; --gate: #9db7ff; } }
.facts { display: flex; flex-wrap: wrap; gap: .5rem 2rem; } .facts div { display: flex; gap: .5rem; } .facts dt { color: var(--soft); } .facts dd { margin: 0; font-weight: 600; }
.findings { list-style: none; padding: 0; } .findings li { border-left: .3rem solid var(--warn); padding: .3rem .8rem; margin: .5rem 0; background: var(--card); overflow-wrap: anywhere; } .findings li.deny { border-color: var(--bad); } .findings .deny strong { color: var(--bad); } .findings .warn strong { color: var(--warn); }
pre { overflow-x: auto; margin: .4rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; }
.sound { color: var(--good); }
.board { overflow-x: auto; } .board:focus-visible, pre:focus-visible, summary:focus-visible { outline: .2rem solid var(--gate); outline-offset: .1rem; }
.stages { display: flex; align-items: stretch; gap: .75rem; list-style: none; margin: 0; padding: .25rem; }
.stage h3, .left-out h2 { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere; }
.stage { flex: 1 0 15rem; max-width: 26rem; box-sizing: border-box; border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; } .stage p { margin: .2rem 0 .6rem; color: var(--soft); } .removal { border-style: dashed; }
.gate { flex: 0 0 auto; align-self: flex-start; margin-top: 2.5rem; max-width: 8rem; text-align: center; color: var(--gate); border: 1px dashed var(--gate); border-radius: .5rem; padding: .5rem; overflow-wrap: anywhere; } .gate span { display: block; font-size: .875rem; }
.clusters { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem; } .clusters + .cells { margin-top: .6rem; }
.cluster { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .6rem; overflow-wrap: anywhere; } .cluster.wrong { border: 2px solid var(--bad); } .cluster p.error { color: var(--bad); margin: .1rem 0; font-weight: 600; }
.labels { list-style: none; margin: .2rem 0 0; padding: 0; font-size: .8125rem; color: var(--soft); }
.cells { list-style: none; margin: .2rem 0 .6rem; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem; } .cells li { border: 1px solid var(--line); background: var(--card); border-radius: .3rem; padding: .1rem .4rem; font-size: .875rem; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--gate); } summary + .cells { margin-top: .4rem; }
.left-out { border: 2px solid var(--bad); border-radius: .5rem; padding: .75rem; margin: 0 0 1rem; } .left-out .clusters { grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); margin-top: .5rem; }
@media (max-width: 40rem) { .stages { flex-direction: column; } .stage { flex: none; max-width: none; } .gate { align-self: stretch; max-width: none; margin-top: 0; } .left-out .clusters { grid-template-columns: 1fr; } }
`;
