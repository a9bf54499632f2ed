/** Variable with the image for gateways of isolated networks. Overrides `gateway.image` of the settings. */
export const GATEWAY_IMAGE = 'PORTOLAN_GATEWAY_IMAGE';
