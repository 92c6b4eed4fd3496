import { html, type Html } from './html.js';

/** More than these stand behind a line that opens. */
const mostShown = 40;
/** So many of them stand before it. */
const shownBefore = 20;

/** Names of clusters, close together and in their order; `kind` says how they look. */
export function cellList(names: readonly string[], kind = ''): Html {
  if (names.length <= mostShown) return cells(names, kind);
  return html`${cells(names.slice(0, shownBefore), kind)}
    <details>
      <summary>and ${names.length - shownBefore} more</summary>
      ${cells(names.slice(shownBefore), kind)}
    </details>`;
}

function cells(names: readonly string[], kind: string): Html {
  return html`<ul class="cells ${kind}">
    ${names.map((name) => html`<li>${name}</li>`)}
  </ul>`;
}
