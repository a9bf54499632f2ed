import { type RunRequest, checkBesideFile, classifyTarget } from '@portolan/run-spec';

/**
 * Checks a request without loading plugins. Throws ERR_RUN_TARGET when it names nothing to run, and
 * ERR_SETTINGS_CONFLICT for settings that conflict with `--from-config`.
 */
export async function checkRequest(request: RunRequest): Promise<void> {
  checkBesideFile(request);
  const { target, fromConfig } = request;
  if (target === undefined || fromConfig !== undefined) {
    classifyTarget({ argument: target, fromConfig, schemes: new Map() });
  }
}
