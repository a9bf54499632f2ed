import { requireEnforced, type RunConfig } from '@portolan/run-spec';
import { changeMember, memberConfigsOf } from '../../state/member-config.ts';
import {
  type MemberState,
  type MemberStates,
  NEW_MEMBER,
  NEW_MEMBER_SERVER,
} from '../../state/member-state.ts';
import type { WorkloadState } from '../../state/workload-state.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { RunObserver } from '../run-observer.ts';
import { provideConfigImage } from '../steps/config-image.ts';
import { nameMember } from './name-member.ts';

export interface ProvidedMembers {
  readonly config: RunConfig;
  readonly states: MemberStates;
}

/**
 * Provides the images of the members of a stored workload, with their stored digests. Errors name the member.
 * Throws like `provideConfigImage`.
 */
export async function provideMemberImages(
  config: RunConfig,
  state: Pick<WorkloadState, 'members'> | undefined,
  context: WorkloadContext,
  { observer, signal }: { readonly observer: RunObserver; readonly signal: AbortSignal },
): Promise<ProvidedMembers> {
  let changed = config;
  const states: { [member: string]: MemberState } = { ...state?.members };
  for (const [member, server] of memberConfigsOf(config)) {
    const before = states[member] ?? NEW_MEMBER;
    const ofServer = before.server ?? NEW_MEMBER_SERVER;
    await nameMember(member, async () => {
      requireEnforced(server);
      const onProgress = observer.image.bind(observer);
      const options = { onProgress, signal };
      const image = await provideConfigImage(server, ofServer.imageDigest, context, options);
      for (const note of image?.notes ?? []) observer.warn(`member ${member}: ${note}`);
      const { reference = server.image, digest = '' } = image ?? {};
      if (reference !== server.image)
        changed = changeMember(changed, member, { ...server, image: reference });
      const writableRoot = ofServer.writableRoot && digest === ofServer.imageDigest;
      states[member] = { ...before, server: { ...ofServer, imageDigest: digest, writableRoot } };
    });
  }
  return { config: changed, states };
}
