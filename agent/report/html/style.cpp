#include "agent/report/html/style.hpp"

namespace reaper::agent::html {

namespace {

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark;
  --page: #f5f6f8; --card: #fff; --text: #1c2128; --faint: #57606a; --line: #d5dae0;
  --soft: #eef1f4; --accent: #0a5cbf; --failed: #a40e26; --leaked: #c62828; --look: #8a5a00;
  --kept: #1a7f37; --ended: #4a5fb5; --cut: #fff;
  --f0: #2f6fb0; --f1: #b4541a; --f2: #2e7d5b; --f3: #8e4a9e; --f4: #7a6a12; --f5: #5b6470; }
@media screen and (prefers-color-scheme: dark) { :root {
  --page: #0f1318; --card: #171c23; --text: #e6e9ee; --faint: #9fa9b5; --line: #323a45;
  --soft: #202731; --accent: #7fb8ff; --failed: #ff9ba3; --leaked: #ff7b72; --look: #e3b341;
  --kept: #56d364; --ended: #a3b3ff; --cut: #10151b;
  --f0: #79b8ff; --f1: #ffab70; --f2: #7ee2b8; --f3: #d8a6e8; --f4: #e0cc6a; --f5: #a8b1bd; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.wide { max-width: 70rem; margin: 0 auto; padding-left: 1rem; padding-right: 1rem; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -100rem; padding: .5rem 1rem; background: var(--card); }
.skip:focus { left: 1rem; top: 1rem; z-index: 1; }
.shapes { position: absolute; }
.mark { flex: none; width: 1rem; height: 1rem; }
.fill.failed { fill: var(--failed); } .fill.leaked { fill: var(--leaked); }
.fill.look { fill: var(--look); } .fill.kept { fill: var(--kept); }
.fill.ended { fill: var(--ended); }
.cut { stroke: var(--cut); stroke-width: 1.7; stroke-linecap: round; fill: none; }
.line { stroke: var(--faint); stroke-width: 1.4; fill: none; stroke-linejoin: round; }
.top { background: var(--card); border-bottom: 1px solid var(--line); padding: 1.5rem 0 0; }
.brand { margin: 0; color: var(--faint); font-size: .875rem; letter-spacing: .02em; }
.brand b { color: var(--text); }
h1 { margin: .25rem 0 .5rem; font-size: clamp(1.375rem, 1.2rem + .8vw, 1.75rem); line-height: 1.25;
  letter-spacing: -.01em; text-wrap: balance; }
h1 .mark { width: .85em; height: .85em; margin-right: .45em; vertical-align: -.06em; }
.facts { margin: 0; color: var(--faint); font-size: .875rem; max-width: 60rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: .5rem 0 0; padding: 0;
  list-style: none; font-size: .9375rem; }
nav a { display: flex; align-items: center; gap: .35rem; min-height: 2.75rem;
  color: var(--text); text-decoration: none; border-bottom: 3px solid transparent; }
nav a:hover { border-color: var(--accent); }
nav b { padding: 0 .45rem; border-radius: 1rem; background: var(--soft); font-size: .8125rem; }
main { padding-top: 1.25rem; padding-bottom: 2rem; }
section { margin: 0 0 2rem; scroll-margin-top: 1rem; }
h2 { margin: 0 0 .25rem; font-size: 1.25rem; line-height: 1.3; letter-spacing: -.005em; }
.lead { margin: 0 0 .75rem; color: var(--faint); font-size: .9375rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.25rem, 1fr)); gap: .75rem;
  margin: 0 0 2rem; }
.tile { padding: .75rem 1rem .875rem; border-top: 4px solid var(--line); }
.tile.failed { border-top-color: var(--failed); } .tile.leaked { border-top-color: var(--leaked); }
.tile.look { border-top-color: var(--look); } .tile.kept { border-top-color: var(--kept); }
.tile.ended { border-top-color: var(--ended); }
.tile dt { display: flex; align-items: center; gap: .4rem; color: var(--faint);
  font-size: .875rem; }
.tile dd { margin: 0; font-size: .8125rem; line-height: 1.35; color: var(--faint); }
.tile dd.value { margin: .125rem 0; font-size: 1.75rem; font-weight: 650; line-height: 1.2;
  letter-spacing: -.02em; color: var(--text); overflow-wrap: normal; }
.tile dd.word { font-size: 1.25rem; line-height: 1.68; }
.remarks { padding: .75rem 1rem .75rem 1.125rem; border-left: 4px solid var(--look); }
.remarks ul { margin: .25rem 0 0; padding-left: 1.1rem; }
.remarks h2 { font-size: 1rem; }
.steps { margin: 0; padding: 0; list-style: none; }
.steps li { padding: .625rem 1rem; border-top: 1px solid var(--line); display: flex;
  flex-wrap: wrap; gap: .125rem 1rem; align-items: baseline; }
.steps li:first-child { border-top: 0; }
.steps span { color: var(--faint); font-size: .9375rem; }
code { font: .875em/1.5 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.type { display: inline-block; padding: .25rem .6rem; border-radius: 6px;
  background: var(--soft); user-select: all; }
.trees { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr));
  gap: .75rem; align-items: start; }
.tree { padding: .75rem .75rem .5rem; }
.tree svg, .bars { display: block; width: 100%; }
.tree svg { max-width: 25rem; }
svg text { fill: var(--text); font-size: 13px; }
svg .name { font-weight: 650; }
svg .note { fill: var(--faint); font-size: 11.5px; }
.twig { stroke: var(--line); stroke-width: 1.5; fill: none; }
.track { fill: var(--soft); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 .75rem; padding: 0;
  list-style: none; font-size: .875rem; color: var(--faint); }
.legend li { display: flex; align-items: center; gap: .4rem; }
.list { overflow: hidden; }
details > summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
.list > details { border-top: 1px solid var(--line); }
.list > details:first-child { border-top: 0; }
.list summary { display: grid; grid-template-columns: 1rem minmax(0, 1fr) auto .75rem;
  gap: 0 .625rem; align-items: center; min-height: 2.75rem; padding: .5rem 1rem; }
.list summary > .mark { align-self: start; margin-top: .25rem; }
.list summary::after { grid-column: 4; grid-row: 1 / 3; }
.list summary:hover { background: var(--soft); }
summary::after { content: ""; width: .5rem; height: .5rem; margin: 0 .125rem;
  border: solid var(--faint); border-width: 0 2px 2px 0; transform: rotate(-45deg); }
details[open] > summary::after { transform: rotate(45deg); }
.list summary:focus-visible { outline-offset: -3px; }
.what { font-weight: 600; }
.what small { font-weight: 400; color: var(--faint); font-size: .875rem; }
.size { align-self: start; font-weight: 600; white-space: nowrap; text-align: right; }
.why { grid-column: 2 / 4; color: var(--faint); font-size: .875rem; line-height: 1.4; }
details:not([open]) > summary .why, details:not([open]) > summary .what { display: -webkit-box;
  overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
.inside { padding: 0 1rem .75rem; }
.inside .list { background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.body { padding: .25rem 1rem 1rem 2.625rem; font-size: .9375rem; }
.body p { margin: .5rem 0; }
.body .label { display: block; color: var(--faint); font-size: .8125rem; }
.evidence { margin: .25rem 0 .75rem; padding: 0; list-style: none; }
.evidence li { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); gap: 0 .75rem;
  padding: .375rem 0; border-top: 1px solid var(--line); align-items: baseline; }
.evidence small { color: var(--faint); font-size: .8125rem; display: block; }
.pill { font-size: .8125rem; font-weight: 600; }
.pill.leaked { color: var(--leaked); } .pill.look { color: var(--look); }
.pill.kept { color: var(--kept); } .pill.ended { color: var(--ended); }
.pill.failed { color: var(--failed); } .pill.note { color: var(--faint); }
.fold > summary { display: inline-flex; align-items: center; gap: .5rem; min-height: 2.75rem;
  color: var(--accent); font-size: .9375rem; }
.chart { padding: 1rem; }
.bars { height: 13rem; }
.f0 { fill: var(--f0); } .f1 { fill: var(--f1); } .f2 { fill: var(--f2); }
.f3 { fill: var(--f3); } .f4 { fill: var(--f4); } .f5 { fill: var(--f5); }
.p0, .p1, .p2, .p3, .p4 { stroke: var(--card); stroke-width: 1.6; fill: none; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
caption { padding: .5rem 0; text-align: left; color: var(--faint); }
th, td { padding: .4rem .35rem; border-top: 1px solid var(--line); text-align: left;
  vertical-align: top; }
th { font-weight: 600; overflow-wrap: normal; }
th[scope="row"] { white-space: nowrap; }
.number { text-align: right; white-space: nowrap; }
td small { display: block; color: var(--faint); font-size: .8125rem; }
.obstacle { padding: .875rem 1rem; margin: 0 0 .75rem; border-left: 4px solid var(--leaked); }
.obstacle h3 { margin: 0; font-size: 1rem; }
.obstacle p { margin: .25rem 0 0; }
.do { padding: .375rem .625rem; border-radius: 6px; background: var(--soft); }
.about { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .25rem 1rem; margin: 0;
  padding: .875rem 1rem; font-size: .875rem; }
.about dt { color: var(--faint); }
.about dd { margin: 0; }
footer { padding: .25rem 0; border-top: 1px solid var(--line); color: var(--faint);
  font-size: .875rem; }
@media (max-width: 40rem) {
  .tiles { grid-template-columns: 1fr 1fr; gap: .5rem; }
  .tile { padding: .625rem .75rem; }
  .tile:last-child:nth-child(odd) { grid-column: 1 / -1; }
  .body { padding: .25rem 1rem 1rem; }
  .evidence li { grid-template-columns: 1fr; }
  .inside { padding: 0 .5rem .5rem; }
  .about { grid-template-columns: 1fr; gap: 0; }
  .about dd { margin-bottom: .5rem; }
  th, td { padding: .35rem .2rem; font-size: .8125rem; }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
@media print {
  :root { color-scheme: light; --page: #fff; --soft: #fff; }
  body { font-size: .8125rem; }
  nav, .skip, summary::after { display: none; }
  .card, .tile, .top { border-color: #888; }
  .tile, .tree, .obstacle, .steps li, tr, .evidence li { break-inside: avoid; }
  h2, summary { break-after: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
)css";

}  // namespace

std::string_view style_sheet() {
    return kStyle;
}

}  // namespace reaper::agent::html
