# The registry server: docker build -t portolan .
#
#   BASE    what it runs on: Debian or a child of it, with Node.js 22.22 or newer (no npm needed)
#   BUILD   what it is built on: Node.js 20 or newer, with npm; the compiler's Node.js comes with npm ci
#   COMMIT  what `portolan version` says
ARG BASE=node:24-bookworm-slim
ARG BUILD=node:24-bookworm-slim

# The manifests alone, so that a change of sources does not install everything anew.
FROM ${BUILD} AS manifests
COPY . /src
RUN cd /src && find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete \
  && find . -mindepth 1 -type d -empty -delete

FROM ${BUILD} AS installed
WORKDIR /opt/portolan
COPY --from=manifests /src ./
RUN npm ci --no-audit

FROM installed AS build
COPY . .
ARG COMMIT
RUN npm run build

# What it needs to run, in the versions of the lock file, and nothing that was needed to build it.
FROM installed AS parts
RUN npm prune --omit=dev --omit=optional --no-audit \
  && find node_modules -type d -empty -delete && rm package-lock.json .npmrc
COPY --from=build /opt/portolan/packages ./packages
COPY --from=build /opt/portolan/plugins ./plugins
RUN find packages plugins -name src -prune -exec rm -r {} + \
  && find . \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -type f -delete

FROM ${BASE}
# Sources in git are read by the git program, by ssh where their address says so.
RUN missing=''; \
  for need in git=git ssh=openssh-client update-ca-certificates=ca-certificates; do \
    command -v "${need%%=*}" >/dev/null || missing="$missing ${need#*=}"; \
  done; \
  [ -z "$missing" ] || { apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*; }
COPY --from=parts /opt/portolan /opt/portolan
COPY deploy/docker/check-health.mjs /opt/portolan/
RUN ln -s /opt/portolan/packages/cli/bin/portolan.js /usr/local/bin/portolan \
  && echo 'portolan:x:65532:65532:Portolan:/var/lib/portolan:/usr/sbin/nologin' >> /etc/passwd \
  && echo 'portolan:x:65532:' >> /etc/group \
  && mkdir -p /etc/portolan /var/lib/portolan && chown 65532:65532 /var/lib/portolan
ENV NODE_ENV=production \
  HOME=/var/lib/portolan \
  XDG_DATA_HOME=/var/lib \
  PORTOLAN_CONFIG=/etc/portolan/portolan.config.yaml \
  PORTOLAN_SERVER_ADDRESS=0.0.0.0:8080 \
  PORTOLAN_SERVER_INTERNALADDRESS=0.0.0.0:8081
LABEL org.opencontainers.image.title="Portolan" \
  org.opencontainers.image.description="A registry of MCP servers and skills" \
  org.opencontainers.image.licenses="Apache-2.0"
# By number: a cluster that refuses root cannot look a name up.
USER 65532:65532
WORKDIR /var/lib/portolan
VOLUME /var/lib/portolan
EXPOSE 8080 8081
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "/opt/portolan/check-health.mjs"]
ENTRYPOINT ["portolan"]
CMD ["serve"]
