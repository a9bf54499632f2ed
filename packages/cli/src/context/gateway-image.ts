/** Variable that names the image which gateways of isolated networks are made of, stronger than `gateway.image` of the settings. */
export const GATEWAY_IMAGE = 'PORTOLAN_GATEWAY_IMAGE';
