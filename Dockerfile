# gaia in a container: its packages from the lock, a user of its own, the home in a volume.
# docs/service.md tells more.
#   docker build -t gaia .
#   docker run --rm -v gaia:/home/gaia/.gaia gaia model pull     # unless a key is set
#   docker run -d --name gaia --stop-timeout 40 -v gaia:/home/gaia/.gaia --env-file .env gaia
#   docker exec -it gaia gaia chat
# The digest is that of 3.11.16 for all platforms, so that each build has the same files. To have
# a newer one: 'docker pull python:3.11-slim-bookworm' says its digest; write it here, or give
# it with --build-arg BASE=…
ARG BASE=python:3.11-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b
FROM ${BASE} AS build
WORKDIR /source
COPY requirements.lock ./
RUN python -m venv /opt/gaia \
    && /opt/gaia/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY config ./config
COPY channels ./channels
COPY gaia ./gaia
RUN /opt/gaia/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM ${BASE}
LABEL org.opencontainers.image.title="gaia" \
    org.opencontainers.image.description="A personal assistant that runs as one daemon" \
    org.opencontainers.image.licenses="Apache-2.0"
# The embedded model's engine needs libgomp1, backups of PostgreSQL the client: of version 15 in
# bookworm, as the server in compose.yaml. The distribution's newest are wanted, whichever they are.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 postgresql-client \
    && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 gaia \
    && useradd --no-log-init --uid 10001 --gid 10001 --create-home gaia \
    && install --directory --owner 10001 --group 10001 --mode 0700 \
        /home/gaia/.gaia /home/gaia/backups
COPY --from=build /opt/gaia /opt/gaia
ENV PATH=/opt/gaia/bin:$PATH
# By number: Kubernetes cannot tell otherwise that it is not root.
USER 10001:10001
WORKDIR /home/gaia
VOLUME /home/gaia/.gaia
# Health and webhooks, once web.host is 0.0.0.0.
EXPOSE 8642
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=15s --start-period=90s --retries=3 \
    CMD ["python", "-m", "gaia.cli.healthcheck"]
# gaia handles signals as process 1 and waits for each of its children: it needs no init.
ENTRYPOINT ["gaia"]
CMD ["serve"]
