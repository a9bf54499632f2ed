import { type Logger, type MetricsFormat, type SyncRecord, writeMetrics } from '@portolan/plugin-api';
import type { PoolState } from '@portolan/registry';
import { knownMethod } from '../request/known-method.ts';
import type { VersionInfo } from '../request/version-info.ts';
import { Histogram } from './histogram.ts';
import { MetricReader } from './metric-reader.ts';

export interface SourceFigures {
  readonly source: string;
  readonly entries: Readonly<Record<string, number>>;
  /** Time of the last successful sync. Undefined when there was none. */
  readonly lastGoodTime?: string | undefined;
}

export interface MetricsOptions {
  readonly enabled: boolean;
  readonly version: VersionInfo;
  readonly logger: Logger;
  readonly clock: () => Date;
  /** Monotonic time in milliseconds. Default: `performance.now`. */
  readonly nowMs?: () => number;
  /** Reads the numbers of sources from the database. Called at most every 30 s, and only on scrapes. */
  readonly readFigures?: () => Promise<readonly SourceFigures[]>;
  readonly readPools?: () => readonly PoolState[];
}

/** Bucket boundaries in seconds. */
const REQUEST_BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const SYNC_BOUNDARIES = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export type Labels = Readonly<Record<string, string | number>>;

export interface Series<T> {
  readonly labels: Labels;
  readonly value: T;
}
export interface Count {
  now: number;
}
type SeriesMap<T> = Map<string, Series<T>>;

/**
 * Counts requests and syncs in plain maps. OpenTelemetry's SDK would double the time of the start and count
 * ten times slower.
 */
export class ServerMetrics {
  readonly enabled: boolean;
  /** Running requests by method. */
  readonly active: SeriesMap<Count> = new Map();
  /** Completed requests by method, route and status, in seconds. */
  readonly requests: SeriesMap<Histogram> = new Map();
  /** Syncs by source and outcome, in seconds. */
  readonly syncs: SeriesMap<Histogram> = new Map();
  /** Number of versions that syncs added, changed or removed, by source and change. */
  readonly syncVersions: SeriesMap<Count> = new Map();
  readonly errors: SeriesMap<Count> = new Map();
  readonly startedAt: Date;
  readonly #options: MetricsOptions;
  readonly #scraped: MetricReader;
  readonly #readers: MetricReader[] = [];

  constructor(options: MetricsOptions) {
    this.enabled = options.enabled;
    this.startedAt = options.clock();
    this.#options = options;
    this.#scraped = this.openReader();
  }

  requestStarted(method: string): void {
    if (this.enabled) this.#activeOf(method).now += 1;
  }

  /**
   * Counts a completed request. `route` is the pattern of its route. `errorCode` is counted only for server
   * errors.
   */
  requestEnded(
    method: string,
    route: string | undefined,
    status: number,
    ms: number,
    errorCode?: string,
  ): void {
    if (!this.enabled) return;
    this.#activeOf(method).now -= 1;
    const label = knownMethod(method);
    const path = route ?? 'unknown_route';
    const key = `${label} ${status} ${path}`;
    const labels = () => ({
      'http.request.method': label,
      'http.route': path,
      'http.response.status_code': status,
    });
    valueOf(this.requests, key, labels, newRequestHistogram).record(ms / 1000);
    if (status >= 500) this.#countError('http', errorCode ?? 'ERR_INTERNAL');
  }

  readonly recordSync = (record: SyncRecord): void => {
    const { source, outcome, durationMs } = record;
    if (!this.enabled) return;
    const labels = () => ({ source, outcome });
    valueOf(this.syncs, `${outcome} ${source}`, labels, newSyncHistogram).record(durationMs / 1000);
    for (const change of ['added', 'changed', 'removed'] as const)
      valueOf(this.syncVersions, `${change} ${source}`, () => ({ source, change }), newCount).now +=
        record[change];
    if (outcome === 'failed') this.#countError('sync', 'failed');
  };

  async toText(format: MetricsFormat): Promise<string> {
    const { metrics } = await this.#scraped.read();
    return await writeMetrics(metrics, format);
  }

  /** Opens a reader for another exporter. The reader closes together with these metrics. */
  openReader(): MetricReader {
    const reader = new MetricReader(this, this.#options);
    this.#readers.push(reader);
    return reader;
  }

  /** Stops the measurements that the first read started. */
  close(): void {
    for (const reader of this.#readers) reader.close();
  }

  #activeOf(method: string): Count {
    const label = knownMethod(method);
    return valueOf(this.active, label, () => ({ 'http.request.method': label }), newCount);
  }

  #countError(area: 'http' | 'sync', type: string): void {
    valueOf(this.errors, `${area} ${type}`, () => ({ area, error_type: type }), newCount).now += 1;
  }
}

const newCount = (): Count => ({ now: 0 });
const newRequestHistogram = (): Histogram => new Histogram(REQUEST_BOUNDARIES);
const newSyncHistogram = (): Histogram => new Histogram(SYNC_BOUNDARIES);

function valueOf<T>(series: SeriesMap<T>, key: string, labels: () => Labels, create: () => T): T {
  const known = series.get(key);
  if (known !== undefined) return known.value;
  const added = { labels: labels(), value: create() };
  series.set(key, added);
  return added.value;
}
