# docker buildx build --platform linux/amd64,linux/arm64 --sbom=true -t stageguard:0.1.0 .
# By digest, since a tag can be moved; CONTRIBUTING.md says how to renew it.
ARG NODE=node:24.19.0-alpine@sha256:d32cdf619f63fe0471182d08996dd516c6275bb5fd31ae06e55a570bd9e1ad43

# The program is the same on every platform: it is built once, on the machine's own.
FROM --platform=$BUILDPLATFORM ${NODE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tools/build.mjs tools/bundle.mjs tools/compiled-schemas.mjs tools/
COPY tsconfig.json ./
COPY src/ src/
RUN node tools/build.mjs dist/stageguard.js
RUN npm sbom --package-lock-only --omit=dev --sbom-format=cyclonedx > dist/sbom.cdx.json

FROM ${NODE} AS node

# Node, the three libraries that it is linked to, and the program. No shell, no package manager.
FROM scratch
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="stageguard" \
      org.opencontainers.image.description="Admission guard for KubeFleet staged rollouts" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
COPY --from=node /lib/ld-musl-*.so.1 /lib/
COPY --from=node /usr/lib/libstdc++.so.6 /usr/lib/libgcc_s.so.1 /usr/lib/
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=build /src/dist/stageguard.js /src/dist/sbom.cdx.json /app/
COPY --from=build /src/dist/parts/ /app/parts/
COPY LICENSE /app/
ENV NODE_ENV=production
WORKDIR /app
USER 65532:65532
EXPOSE 8443 8444
ENTRYPOINT ["/usr/local/bin/node", "/app/stageguard.js"]
CMD ["serve"]
