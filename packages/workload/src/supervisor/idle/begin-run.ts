import { UndoStack } from '@portolan/plugin-api';
import type { WorkloadState } from '../../state/workload-state.ts';
import { Lifecycle } from '../process/lifecycle.ts';
import type { StateWriter } from '../process/state-record.ts';
import type { Supervision } from '../supervision.ts';

/**
 * Returns the supervision of one run of a server that stops while it is idle. The run has its own lifecycle, and closes
 * its own containers and network. It shares everything else with the workload, which outlives the run.
 */
export function beginRun(
  parent: Supervision,
  { record, current }: TrackedState,
  heard: () => void,
): Supervision {
  return {
    ...parent,
    state: current(),
    lifecycle: new Lifecycle(),
    opened: new UndoStack(parent.context.logger),
    record,
    // After its start, a workload sends no more reports to the command that started it, except output of the server.
    report: (report) => {
      if (parent.lifecycle.isStarting) parent.report(report);
    },
    heard,
    get startFault() {
      return parent.startFault;
    },
    set startFault(fault) {
      parent.startFault = fault;
    },
    get missing() {
      return parent.missing;
    },
    set missing(reason) {
      parent.missing = reason;
    },
  };
}

/** Writer of a state, and the state with all changes so far. */
export interface TrackedState {
  readonly record: StateWriter;
  readonly current: () => WorkloadState;
}

/** Wraps a state writer so that the next run can read the current state. */
export function trackState(record: StateWriter, before: WorkloadState): TrackedState {
  let state = before;
  return {
    record: {
      note: (change) => {
        state = change(state);
        record.note(change);
      },
      change: async (change) => {
        state = change(state);
        await record.change(change);
      },
      close: () => Promise.resolve(),
    },
    current: () => state,
  };
}
