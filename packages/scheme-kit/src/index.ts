export { askIndex, below, hostOf, readIndexAddress } from './ask-index.ts';
export type { IndexAnswer } from './ask-index.ts';
export { environmentLines, execLine, labelLines, scriptLine } from './dockerfile-lines.ts';
export { authorizeIndexes, basicAuthorization, loginOfAddress } from './index-authorization.ts';
export type { IndexAuthorization } from './index-authorization.ts';
export { CREDENTIALS_HOST, LOAD_CREDENTIALS } from './load-credentials.ts';
export { planStages } from './plan-stages.ts';
export { indexAddressInvalid, packageNotFound, requirementInvalid } from './scheme-errors.ts';
export { CA_BUNDLE, planSystemStage } from './system-stage.ts';
