export {
  readAuthFile,
  setAuthFile,
  setBuildVariable,
  unsetAuthFiles,
  unsetBuildVariables,
} from './build/build-environment.ts';
export { getBuildVariable, listBuildVariables, requireAuthFile } from './build/build-environment.ts';
export { readCertificates } from './build/read-certificates.ts';
export { getKnownSetting, KNOWN_SETTINGS, parseSettingValue } from './state/user-config/known-settings.ts';
export { getSetting, listSettings } from './state/user-config/list-settings.ts';
export { updateUserConfig } from './state/user-config/update-user-config.ts';
