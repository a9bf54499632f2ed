import type { RunConfig } from '@portolan/run-spec';
import { countMembers } from './describe-members.ts';
import type { ExaminedWorkload } from './examine-workload.ts';
import type { WorkloadListing } from './workload-listing.ts';

export function listingOf({ stored, judged, isSupervised }: ExaminedWorkload): WorkloadListing {
  const { name, state, config } = stored;
  const isUp = isSupervised && judged.status !== 'stopped';
  return {
    name,
    package: config === undefined ? '' : packageOf(config),
    status: judged.status,
    status_context: judged.context,
    url: state?.url ?? '',
    port: config?.port ?? 0,
    transport: config?.transport ?? '',
    transport_type: config?.transport ?? '',
    proxy_mode: config?.proxy_mode ?? '',
    group: config === undefined ? '' : config.group === '' ? 'default' : config.group,
    labels: config?.container_labels ?? {},
    created_at: timeOf(state?.createdAt),
    started_at: isUp ? timeOf(state?.startedAt) : '',
    remote: (config?.remote_url ?? '') !== '',
    member_count: countMembers(stored),
  };
}

function packageOf({ run_target: target, image, remote_url: url }: RunConfig): string {
  if (url !== '') return url;
  return target === '' ? image : target;
}

function timeOf(time: Date | undefined): string {
  return time === undefined || time.getTime() === 0 ? '' : time.toISOString();
}
