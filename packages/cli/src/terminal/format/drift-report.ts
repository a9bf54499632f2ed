import { findHiddenText } from '@portolan/entry-format';
import { type Difference, valueAt } from '@portolan/lock';
import type { PortolanError } from '@portolan/plugin-api';
import type { DetailedDifference, InspectResult } from '@portolan/workload/lock';

/** Result of `lock --check` for one workload, as in the JSON output. */
export interface DriftReport {
  readonly name: string;
  /** Path of the lock file; null if it is unknown. */
  readonly file: string | null;
  readonly status: 'locked' | 'differs' | 'unchecked';
  readonly differences: readonly ReportedDifference[];
  /** Why the workload could not be checked; null if it could. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface ReportedDifference extends Omit<Difference, 'fields'> {
  readonly fields: readonly {
    readonly pointer: string;
    readonly class: Difference['class'];
    readonly before: unknown;
    readonly after: unknown;
  }[];
  readonly hidden: ReturnType<typeof findHiddenText>;
}

export function reportDrift(result: InspectResult): DriftReport {
  if ('error' in result) return reportUnchecked(result.name, result.error);
  const { name, file, differences } = result.inspection;
  return {
    name,
    file,
    status: differences.length === 0 ? 'locked' : 'differs',
    differences: differences.map(reportDifference),
    error: null,
  };
}

function reportUnchecked(name: string, { code, message }: PortolanError): DriftReport {
  return { name, file: null, status: 'unchecked', differences: [], error: { code, message } };
}

function reportDifference({ before, after, ...difference }: DetailedDifference): ReportedDifference {
  return {
    ...difference,
    fields: difference.fields.map(({ pointer, class: own }) => ({
      pointer,
      class: own,
      before: valueAt(before, pointer) ?? null,
      after: valueAt(after, pointer) ?? null,
    })),
    hidden: findHiddenText(after),
  };
}
