import type { Distribution } from '@portolan/plugin-api';

/** Counts values in buckets, cheaply enough for every request. */
export class Histogram implements Distribution {
  readonly boundaries: readonly number[];
  /** Number of values per bucket. The last bucket counts values above all boundaries. */
  readonly counts: number[];
  sum = 0;
  count = 0;

  constructor(boundaries: readonly number[]) {
    this.boundaries = boundaries;
    this.counts = Array.from({ length: boundaries.length + 1 }, () => 0);
  }

  /** A value equal to a boundary belongs to the bucket below, as in OpenTelemetry and Prometheus. */
  record(value: number): void {
    const { boundaries, counts } = this;
    let at = 0;
    while (at < boundaries.length && value > (boundaries[at] ?? 0)) at += 1;
    counts[at] = (counts[at] ?? 0) + 1;
    this.sum += value;
    this.count += 1;
  }
  copy(): Distribution {
    const { boundaries, counts, sum, count } = this;
    return { boundaries, counts: [...counts], sum, count };
  }
}
