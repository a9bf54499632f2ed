import { type RunRequest, checkBesideFile, classifyTarget } from '@portolan/run-spec';

/** Checks a request without loading plugins. Throws ERR_RUN_TARGET and ERR_SETTINGS_CONFLICT. */
export async function checkRequest(request: RunRequest): Promise<void> {
  checkBesideFile(request);
  const { target, fromConfig } = request;
  if (target === undefined || fromConfig !== undefined) {
    classifyTarget({ argument: target, fromConfig, schemes: new Map() });
  }
}
