import { sendJson } from '../responses/send-json.ts';
import type { RecentEvents } from '../responses/recent-events.ts';
import { auditEventsDisabled } from './operation-errors.ts';
import { auditQuery } from '../parameters/audit-parameters.ts';
import { queryValues } from '../steps/read-parameters.ts';
import { type Step, step } from '../request/route.ts';

/** Lists requests in the memory of this process, newest first. Throws ERR_FEATURE_DISABLED. */
export function listAuditEvents(recent: RecentEvents | undefined): Step {
  return step('listAuditEvents', (ctx) => {
    if (recent === undefined) throw auditEventsDisabled();
    const { events, next, kept, forgotten } = recent.page(queryValues(ctx, auditQuery));
    const { replica, since, max } = recent;
    const metadata = { count: events.length, replica, since, most: max, kept, forgotten, nextBefore: next };
    sendJson(ctx, `${JSON.stringify({ events, metadata })}\n`);
  });
}
