# nginx's own makefile, run in its directory, with flags for our files only.

include objs/Makefile

objs/addon/%.o: CFLAGS += $(OWN_FLAGS)

# nginx and each module have a global "ngx_modules"; to the address sanitizer
# that is a mistake

objs/ngx_http_open_responses_module_modules.o: CFLAGS += $(LIST_FLAGS)
