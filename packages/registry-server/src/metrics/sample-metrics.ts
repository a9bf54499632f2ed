import { standardError } from '@portolan/plugin-api';
import type { PoolState } from '@portolan/registry';
import type { VersionInfo } from '../request/version-info.ts';
import type { MetricKey } from './metric-table.ts';
import type { ProcessFigures } from './observe-process.ts';
import type { Labels, Series, ServerMetrics, SourceFigures } from './server-metrics.ts';

export type Sampled = readonly { readonly labels: Labels; readonly value: number }[];
type Samples = Readonly<Partial<Record<MetricKey, Sampled>>>;

/** Returns the counters of the server itself, without durations. */
export function sampleOwn(metrics: ServerMetrics, { version, commit = '' }: VersionInfo): Samples {
  return {
    requests: sampled(metrics.requests, ({ count }) => count),
    activeRequests: sampled(metrics.active, ({ now }) => now),
    syncVersions: sampled(metrics.syncVersions, ({ now }) => now),
    errors: sampled(metrics.errors, ({ now }) => now),
    lostLogLines: [{ labels: {}, value: standardError.lostLines }],
    buildInfo: [{ labels: { version, commit, node: process.version }, value: 1 }],
  };
}

export function sampleSources(figures: readonly SourceFigures[]): Samples {
  return {
    entries: figures.flatMap(({ source, entries }) =>
      Object.entries(entries).map(([type, value]) => ({ labels: { source, type }, value })),
    ),
    lastGoodSync: figures.flatMap(({ source, lastGoodTime }) =>
      lastGoodTime === undefined ? [] : [{ labels: { source }, value: Date.parse(lastGoodTime) / 1000 }],
    ),
  };
}

/** Returns the metrics of database connections. Empty for a SQLite file, which has no pools. */
export function samplePools(pools: readonly PoolState[]): Samples {
  const named = (name: string, more: Labels = {}) => ({ 'db.client.connection.pool.name': name, ...more });
  const inState = (name: string, state: string) => named(name, { 'db.client.connection.state': state });
  return {
    poolConnections: pools.flatMap(({ name, open, idle }) => [
      { labels: inState(name, 'idle'), value: idle },
      { labels: inState(name, 'used'), value: open - idle },
    ]),
    poolLimit: pools.map(({ name, max }) => ({ labels: named(name), value: max })),
    poolWaiting: pools.map(({ name, waiting }) => ({ labels: named(name), value: waiting })),
  };
}

export function sampleProcess({ cpu, residentBytes, uptime, loopTime, loopDelay }: ProcessFigures): Samples {
  const one = (value: number): Sampled => [{ labels: {}, value }];
  return {
    cpuTime: Object.entries(cpu).map(([mode, value]) => ({ labels: { 'cpu.mode': mode }, value })),
    memory: one(residentBytes),
    uptime: one(uptime),
    loopTime: Object.entries(loopTime).map(([state, value]) => ({
      labels: { 'nodejs.eventloop.state': state },
      value,
    })),
    ...(loopDelay === undefined
      ? {}
      : {
          loopDelayMean: one(loopDelay.mean),
          loopDelayP50: one(loopDelay.p50),
          loopDelayP99: one(loopDelay.p99),
          loopDelayMax: one(loopDelay.max),
        }),
  };
}

function sampled<T>(series: ReadonlyMap<string, Series<T>>, valueOf: (value: T) => number): Sampled {
  return [...series.values()].map(({ labels, value }) => ({ labels, value: valueOf(value) }));
}
