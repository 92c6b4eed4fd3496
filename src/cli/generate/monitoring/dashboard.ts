import { panels, type Panel, type Query } from './panels.js';

const datasource = { type: 'prometheus', uid: '${datasource}' };
/** Grafana lays panels out on 24 columns. */
const columns = 24;

/** The dashboard as Grafana imports it. */
export function dashboard(): object {
  return {
    uid: 'stageguard',
    title: 'stageguard',
    tags: ['stageguard', 'kubefleet'],
    timezone: 'browser',
    schemaVersion: 39,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
        // Where one Prometheus looks after several hubs.
        variable('cluster'),
        variable('job'),
      ],
    },
    panels: laidOut(),
  };
}

function variable(label: string): object {
  const query = { query: `label_values(stageguard_build_info, ${label})`, refId: label };
  return { name: label, type: 'query', datasource, query, refresh: 2, multi: true, includeAll: true, allValue: '.*' };
}

/** From left to right, in rows as high as their highest panel. */
function laidOut(): readonly object[] {
  let at = { x: 0, y: 0, h: 0 };
  return panels.map((panel, index) => {
    const { w, h } = panel.kind === 'stat' ? { w: 6, h: 4 } : { w: 12, h: 8 };
    if (at.x + w > columns) at = { x: 0, y: at.y + at.h, h: 0 };
    const gridPos = { ...at, w, h };
    at = { ...at, x: at.x + w, h: Math.max(at.h, h) };
    return panelOf(panel, index + 1, gridPos);
  });
}

function panelOf({ kind, title, description, unit, queries }: Panel, id: number, gridPos: object): object {
  return {
    id,
    type: kind,
    title,
    description,
    datasource,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map((query, index) => target(query, index)),
  };
}

function target({ expr, legend }: Query, index: number): object {
  return { refId: String.fromCharCode('A'.charCodeAt(0) + index), datasource, expr, legendFormat: legend };
}
