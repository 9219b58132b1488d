# Faults around nginx: long runs of tests whose short ones are part of "make
# test".
#
#   make fault [ORS_ONLY=name]          every call of a worker that can fail
#   make chaos [SECONDS=600] [SEED=1]   hostile peers, with the sanitizers
#   make reloads [CLIENTS=1000] [RELOADS=20]   streams and WebSockets, none of
#                                       which a reload cuts

FAULT_SET = $(filter command environment,$(firstword $(origin $1)))

.PHONY: fault chaos soup reloads

fault: build
	TEST_NGINX_BINARY=$(abspath $(SERVER)) \
	TEST_NGINX_MODULE=$(abspath $(MODULE)) ORS_FAULT=all \
	    $(PROVE) -v t/fault.t

chaos: asan-server
	LSAN_OPTIONS=suppressions=$(CURDIR)/t/make/leaks.txt:print_suppressions=0 \
	TEST_NGINX_ASAN=1 \
	TEST_NGINX_BINARY=$(abspath $(BUILD)/asan/tree/objs/nginx) \
	TEST_NGINX_MODULE=$(abspath $(BUILD)/asan/$(NAME).so) \
	ORS_CHAOS=$(if $(call FAULT_SET,SECONDS),$(SECONDS),600) \
	ORS_SEED=$(or $(SEED),1) $(PROVE) -v t/chaos.t


# with Debian's modules, and as long with sanitizers

SOUP = SOUP_SECONDS=$(if $(call FAULT_SET,SECONDS),$(SECONDS),180) \
       SOUP_SEED=$(or $(SEED),1) $(PROVE) -v t/soup.t

soup: build asan-server
	TEST_NGINX_BINARY=$(abspath $(SERVER)) \
	TEST_NGINX_MODULE=$(abspath $(MODULE)) $(SOUP)
	LSAN_OPTIONS=suppressions=$(CURDIR)/t/make/leaks.txt:print_suppressions=0 \
	TEST_NGINX_ASAN=1 \
	TEST_NGINX_BINARY=$(abspath $(BUILD)/asan/tree/objs/nginx) \
	TEST_NGINX_MODULE=$(abspath $(BUILD)/asan/$(NAME).so) $(SOUP)

reloads: build
	TEST_NGINX_BINARY=$(abspath $(SERVER)) \
	TEST_NGINX_MODULE=$(abspath $(MODULE)) \
	ORS_CLIENTS=$(or $(CLIENTS),1000) ORS_RELOADS=$(or $(RELOADS),20) \
	    $(PROVE) -v t/reload_many.t
