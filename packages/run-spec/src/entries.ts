export { describeEntryDemands } from './consent/describe-entry-demands.ts';
export { readServerSettings } from './registry-entry/read-server-settings.ts';
