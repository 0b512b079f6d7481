# gaia in a container: its packages from the lock, a user of its own, the home in a volume.
#   docker build -t gaia .
#   docker run --rm -v gaia:/home/gaia/.gaia gaia model pull     # unless a key is set
#   docker run -d --name gaia -v gaia:/home/gaia/.gaia --env-file .env gaia
#   docker exec -it gaia gaia chat
FROM python:3.11-slim AS build
WORKDIR /source
COPY requirements.lock ./
RUN python -m venv /opt/gaia \
    && /opt/gaia/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY config ./config
COPY channels ./channels
COPY gaia ./gaia
RUN /opt/gaia/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11-slim
RUN useradd --create-home --uid 10001 gaia \
    && install --directory --owner gaia --group gaia --mode 0700 /home/gaia/.gaia
COPY --from=build /opt/gaia /opt/gaia
ENV PATH=/opt/gaia/bin:$PATH
USER gaia
VOLUME /home/gaia/.gaia
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=15s --start-period=60s CMD ["gaia", "status"]
ENTRYPOINT ["gaia"]
CMD ["serve"]
