import { policyOfCaller } from '@portolan/authorization';
import { API_VERSION, BUILT_IN_TAPS, type Plugin } from '@portolan/plugin-api';
import { type DocumentRules, judgePublication } from '@portolan/registry';
import { requireClaimsForm } from '../steps/run-before-publish.ts';

const { plugin: name, stage } = BUILT_IN_TAPS.beforePublish;

/**
 * The rules of publishing as a tap, as far as the request alone is judged by
 * them. It changes nothing. `RegistryAdmin.publish` judges once more, what taps
 * after it have made of the request included. `rules` are asked for when there is a request.
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
