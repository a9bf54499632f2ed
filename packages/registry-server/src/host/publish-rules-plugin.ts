import { policyOfCaller } from '@portolan/authorization';
import { API_VERSION, BUILT_IN_TAPS, type Plugin } from '@portolan/plugin-api';
import { type DocumentRules, judgePublication } from '@portolan/registry';
import { requireClaimsForm } from '../steps/run-before-publish.ts';

const { plugin: name, stage } = BUILT_IN_TAPS.beforePublish;

/**
 * Checks publish requests in `beforePublish`, as far as the request alone allows. `RegistryAdmin.publish`
 * checks again, including changes of later taps. `rules` is called for each request.
 */
export function createPublishRulesPlugin(rules: () => DocumentRules): Plugin {
  return {
    name,
    apiVersion: API_VERSION,
    apply({ hooks, clock }) {
      hooks.beforePublish.tap({ name, stage }, (request, caller) => {
        const actor = { policy: policyOfCaller(caller), caller };
        const claims = requireClaimsForm(request.claims);
        judgePublication(actor, { ...request, claims }, { ...rules(), now: clock() });
        return request;
      });
    },
  };
}
