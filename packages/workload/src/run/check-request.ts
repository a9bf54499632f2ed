import { type RunRequest, checkBesideFile, classifyTarget, parseGroupName } from '@portolan/run-spec';

/** Checks a request without loading plugins. Throws ERR_RUN_TARGET, ERR_SETTINGS_CONFLICT and ERR_SETTING. */
export async function checkRequest(request: RunRequest): Promise<void> {
  checkBesideFile(request);
  const { target, fromConfig, flags } = request;
  const { members, memberGroup } = flags;
  if (
    [target, members, memberGroup].filter((one) => one !== undefined).length !== 1 ||
    fromConfig !== undefined
  ) {
    classifyTarget({ argument: target, fromConfig, members, memberGroup, schemes: new Map() });
  }
  if (memberGroup !== undefined) parseGroupName(memberGroup, '--member-group');
}
