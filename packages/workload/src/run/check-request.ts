import { type RunRequest, checkBesideFile, classifyTarget } from '@portolan/run-spec';

/** Checks a request without loading plugins. Throws ERR_RUN_TARGET and ERR_SETTINGS_CONFLICT. */
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
}
